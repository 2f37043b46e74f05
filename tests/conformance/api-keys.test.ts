// API keys on every server: keys that Node and Rust have created are accepted and refused alike.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { apiKeys, createApiKey, hashApiKey, type NewApiKey } from "@kit/auth";
import { type AppOptions, createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { ServerAdapter } from "@kit/types";

import { compiled, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import type { Served } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

/** Key in the list of the application. */
interface Row {
  readonly id: string;
  readonly hash: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly expires?: string;
}

interface Caller {
  readonly subject: string;
  readonly scopes: readonly string[];
}

const response = {
  name: "TokenCaller",
  is: () => true,
  failures: () => [],
  decode: (value: unknown) => value,
  serialize: (value: unknown) => JSON.stringify(value),
} as never;

const show = ({ ctx }: { ctx: object }): Caller => {
  const { subject, scopes } = (ctx as { auth: Caller }).auth;
  return { subject, scopes };
};

async function serve(server: ServerAdapter, rows: readonly Row[]): Promise<Served> {
  const requireKey = apiKeys({
    prefix: "shop",
    scopes: ["orders:read", "orders:write"],
    find: (id) => {
      const found = rows.find((known) => known.id === id);
      return found && { ...found, expiresAt: found.expires === undefined ? null : new Date(found.expires) };
    },
  });
  const middleware = ["requireKey"];
  const app = createApp({
    server,
    compiled: compiled(
      route("POST /keys", { response: responseOf("Key", { key: "string", id: "string", hash: "string" }) }),
      route("GET /keys/caller", { response, middleware }),
      route("GET /keys/orders", {
        response,
        middleware,
        scopes: { anyOf: [["orders:write"]], isBearer: false },
      }),
    ),
    env: "production",
    signals: false,
    logging: { level: "fatal" },
    routes: [
      { handlers: { "POST /keys": () => ({ ...createApiKey("shop") }) } },
      {
        handlers: { "GET /keys/caller": show, "GET /keys/orders": show },
        middleware: [{ name: "requireKey", middleware: requireKey, priority: 0 }],
      },
    ],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly challenge: string | null;
  readonly caller: Caller;
}

async function send(port: number, key?: string, path = "/keys/caller"): Promise<Answer> {
  const headers = key === undefined ? {} : { "x-api-key": key };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const body = (await answer.json()) as Caller & { error?: { code: string; message: string } };
  return {
    status: answer.status,
    code: body.error?.code,
    message: body.error?.message,
    challenge: answer.headers.get("www-authenticate"),
    caller: body,
  };
}

/** Returns the row of a key. With `ms`, the key ends in so many milliseconds. */
function row({ id, hash }: NewApiKey, scopes: readonly string[], ms?: number): Row {
  const expires = ms === undefined ? {} : { expires: new Date(Date.now() + ms).toISOString() };
  return { id, hash, subject: "ada", scopes, ...expires };
}

/** Makes the tests of one server. */
function check(name: string, start: (rows: readonly Row[]) => Promise<Served>): void {
  describe(name, () => {
    const [reader, writer, expired, future, wrong] = Array.from({ length: 5 }, () =>
      createApiKey("shop"),
    ) as [NewApiKey, NewApiKey, NewApiKey, NewApiKey, NewApiKey];
    let app: Served;
    /** Key that the server has created. */
    let own: NewApiKey;
    before(async () => {
      const issuer = await start([]);
      const answer = await fetch(`http://127.0.0.1:${issuer.port}/keys`, { method: "POST" });
      own = (await answer.json()) as NewApiKey;
      await issuer[Symbol.asyncDispose]();
      app = await start([
        row(reader, ["orders:read", "orders:read", "admin"]),
        row(writer, ["orders:write"]),
        row(expired, ["orders:read"], -1000),
        row(future, ["orders:read"], 60_000),
        row(own, ["orders:read"]),
        // The id of one key with the hash of another.
        { ...row(wrong, ["orders:read"]), hash: reader.hash },
      ]);
    });
    after(() => app[Symbol.asyncDispose]());

    test("accepts keys of Node and of its own, with the scopes that the application knows", async () => {
      for (const { key } of [reader, future, own]) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, caller } = await send(app.port, key);
        assert.deepEqual([status, caller], [200, { subject: "ada", scopes: ["orders:read"] }]);
      }
    });

    test("creates keys that @kit/auth accepts", async () => {
      assert.match(own.key, /^shop_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      assert.equal(own.hash, hashApiKey(own.key));
      await using node = await serve(nativeServer(), [row(own, ["orders:read"])]);
      assert.equal((await send(node.port, own.key)).status, 200);
    });

    test("checks the scopes of contracts with those of the key", async () => {
      const read = await send(app.port, reader.key, "/keys/orders");
      assert.deepEqual([read.status, read.code, read.challenge], [403, "INSUFFICIENT_SCOPE", null]);
      assert.equal((await send(app.port, writer.key, "/keys/orders")).status, 200);
    });

    test("refuses requests without a key", async () => {
      const { status, code, message, challenge } = await send(app.port);
      assert.deepEqual(
        [status, code, message, challenge],
        [401, "UNAUTHORIZED", "Missing header x-api-key", "ApiKey"],
      );
    });

    test("refuses keys that are unknown, wrong, misspelt, of another prefix or expired", async () => {
      const { key } = reader;
      const last = key.at(-1) === "a" ? "b" : "a";
      for (const text of [
        "",
        "shop",
        createApiKey("shop").key,
        createApiKey("other").key,
        wrong.key,
        expired.key,
        key.slice(1),
        key.slice(0, -1),
        key.slice(0, -1) + last,
        `${key}a`,
        `${key}, ${key}`,
        `é${key.slice(2)}`,
      ]) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, code, message, challenge } = await send(app.port, text);
        assert.deepEqual(
          [status, code, message, challenge],
          [401, "INVALID_API_KEY", "The API key is not valid", "ApiKey"],
          text,
        );
      }
    });
  });
}

for (const [name, make] of servers) check(name, (rows) => serve(make(), rows));
if (isRust) {
  check("rust", (rows) =>
    startRust("rust-server", { bodyBytes: 1024 }, "production", { API_KEYS: JSON.stringify(rows) }),
  );
}
