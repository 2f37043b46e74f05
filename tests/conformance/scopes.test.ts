// Contracts with scopes on every server: which callers reach the handler, and how the others are refused.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type AppOptions, createApp, defineMiddleware, defineWrapper } from "@kit/core";
import type { Auth, CompiledRoute, ServerAdapter } from "@kit/types";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";
import { ask, handshake } from "./socket-client.ts";

quietStdout();

/** Takes the scopes of the caller from the header `x-scopes`. Without the header, nobody is authenticated. */
const readCaller = defineMiddleware<{ auth: Auth<string> | null }>(({ headers }) => {
  const scopes = headers["x-scopes"]?.split(" ");
  return { auth: scopes === undefined ? null : { has: (scope) => scopes.includes(scope) } };
});

const timed = defineWrapper<{ adds: { startedAt: number } }>(async ({ ctx }, next) => {
  try {
    return await next({ startedAt: 1 });
  } catch (error) {
    ctx.header("x-failed", "refused");
    throw error;
  }
});

const writes = { anyOf: [["drafts:write"]], isBearer: true };
const draft = { response: responseOf("Draft", { title: "string" }), middleware: ["readCaller"] };
const body = objectOf("Draft", { title: "string" });

const post: CompiledRoute = route("POST /drafts", { ...draft, body, scopes: writes });
const get: CompiledRoute = route("GET /drafts", {
  ...draft,
  scopes: { anyOf: [["drafts:list", "drafts:read"], ["admin"]], isBearer: true },
});
const wrapped: CompiledRoute = route("POST /wrapped/drafts", {
  ...draft,
  body,
  middleware: ["readCaller", "timed"],
  wrappers: { timed: {} },
  scopes: { ...writes, before: "timed" },
});
const outer: CompiledRoute = route("POST /outer/drafts", {
  ...draft,
  body,
  middleware: ["timed", "readCaller"],
  wrappers: { timed: {} },
  scopes: writes,
});
const text = { text: "string" } as const;
const socket: CompiledRoute = route("WS /drafts/live", {
  middleware: ["readCaller"],
  scopes: writes,
  status: 101,
  socket: { in: objectOf("In", text), out: responseOf("Out", text) },
});

const echo = (input: { body: unknown }): unknown => input.body;

async function serve(server: ServerAdapter): Promise<Served> {
  const caller = { name: "readCaller", middleware: readCaller, priority: 0 };
  const app = createApp({
    server,
    compiled: compiled(post, get, wrapped, outer, socket),
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    routes: [
      {
        handlers: {
          "POST /drafts": echo,
          "GET /drafts": () => ({ title: "a" }),
          "WS /drafts/live": () => undefined,
        },
        middleware: [caller],
      },
      {
        handlers: { "POST /wrapped/drafts": echo, "POST /outer/drafts": echo },
        middleware: [caller],
        on: {
          "POST /wrapped/drafts": { middleware: [{ name: "timed", middleware: timed, priority: 1 }] },
          "POST /outer/drafts": { middleware: [{ name: "timed", middleware: timed, priority: -1 }] },
        },
      },
    ],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly missing?: unknown;
  readonly challenge: string | null;
  readonly failed: string | null;
}

async function send(
  port: number,
  method: string,
  path: string,
  scopes?: string,
  content = '{"title":"a"}',
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(scopes !== undefined && { "x-scopes": scopes }) },
    ...(method === "POST" && { body: content }),
  });
  const { error } = (await response.json()) as {
    error?: { code: string; message: string; details?: { missingScopes?: unknown } };
  };
  const missing = error?.details?.missingScopes;
  return {
    status: response.status,
    ...(error !== undefined && { code: error.code, message: error.message }),
    ...(missing !== undefined && { missing }),
    challenge: response.headers.get("www-authenticate"),
    failed: response.headers.get("x-failed"),
  };
}

/** Opens a WebSocket. Returns the status and the code of the error. */
async function open(port: number, headers: object): Promise<readonly unknown[]> {
  const { status, code } = await ask(port, "/drafts/live", { ...handshake, ...headers });
  return [status, code];
}

/** Makes the tests of one server. */
function check(name: string, start: () => Promise<Served>): void {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await start();
    });
    after(() => app[Symbol.asyncDispose]());

    for (const path of ["/drafts", "/wrapped/drafts", "/outer/drafts"]) {
      // A wrapper after the authentication does not run. A wrapper around the authentication sees the refusal.
      const failed = path === "/outer/drafts" ? "refused" : null;

      test(`POST ${path} calls the handler if the caller has the scope`, async () => {
        const answer = await send(app.port, "POST", path, "drafts:read drafts:write");
        assert.deepEqual(answer, { status: 201, challenge: null, failed: null });
      });

      test(`POST ${path} responds with 403 and a challenge if the caller lacks the scope`, async () => {
        for (const scopes of ["drafts:read", "drafts:writes", ""]) {
          // The body is not valid either: the scopes are checked first.
          // oxlint-disable-next-line no-await-in-loop
          assert.deepEqual(await send(app.port, "POST", path, scopes, "{}"), {
            status: 403,
            code: "INSUFFICIENT_SCOPE",
            message: "The caller needs the scope drafts:write",
            missing: [["drafts:write"]],
            challenge: 'Bearer error="insufficient_scope", scope="drafts:write"',
            failed,
          });
        }
      });

      test(`POST ${path} responds with 401 and a challenge if nobody is authenticated`, async () => {
        assert.deepEqual(await send(app.port, "POST", path, undefined, "{}"), {
          status: 401,
          code: "UNAUTHORIZED",
          message: "The caller is not authenticated",
          challenge: "Bearer",
          failed,
        });
      });
    }

    test("a caller needs all scopes of one of several alternatives", async () => {
      for (const scopes of ["drafts:read drafts:list", "admin"]) {
        // oxlint-disable-next-line no-await-in-loop
        assert.equal((await send(app.port, "GET", "/drafts", scopes)).status, 200, scopes);
      }
      assert.deepEqual(await send(app.port, "GET", "/drafts", "drafts:list"), {
        status: 403,
        code: "INSUFFICIENT_SCOPE",
        message: "The caller needs the scopes drafts:list and drafts:read, or the scope admin",
        missing: [["drafts:read"], ["admin"]],
        challenge: 'Bearer error="insufficient_scope", scope="drafts:list drafts:read"',
        failed: null,
      });
    });

    test("a handshake of a WebSocket requires the scopes", async () => {
      assert.deepEqual(await open(app.port, {}), [401, "UNAUTHORIZED"]);
      assert.deepEqual(await open(app.port, { "x-scopes": "admin" }), [403, "INSUFFICIENT_SCOPE"]);
      const [status] = await open(app.port, { "x-scopes": "drafts:write" });
      assert.equal(status, 101);
    });
  });
}

for (const [name, make] of servers) check(name, () => serve(make()));
if (isRust) check("rust", () => startRust("rust-server", { bodyBytes: 1024 }));
