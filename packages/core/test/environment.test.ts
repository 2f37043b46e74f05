// Tests of the defaults for each value of NODE_ENV, and of explicit options, which apply for all values.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";

import { AppError } from "@kit/errors";
import { type AppOptions, createApp, createErrorMiddleware } from "@kit/core";

import { objectOf, responseOf, route } from "./support/compiled.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { errorOf, json, serve, type Served } from "./support/serve.ts";

const viewer = new URL("../../api-docs/viewer/standalone.js.gz", import.meta.url);
const skip = existsSync(viewer) ? false : "the viewer is not there: cargo xtask viewer";
const values = [undefined, "", "development", "test", "production", "staging", "Development", "dev"] as const;
const isOpen = (value: string | undefined): boolean => value === "development" || value === "test";

function set(value: string | undefined): void {
  if (value === undefined) delete process.env["NODE_ENV"];
  else process.env["NODE_ENV"] = value;
}

function setEnvironment(test: TestContext, value: string | undefined): void {
  const before = process.env["NODE_ENV"];
  set(value);
  test.after(() => set(before));
}

const note = responseOf("Note", { id: "string", ip: "string?" });
const get = route("GET /notes", { response: note });
const post = route("POST /notes", { body: objectOf("NewNote", { name: "string" }), response: note });

/** Starts an application whose environment is determined only by `NODE_ENV`. */
function start(options: Partial<AppOptions> = {}): Promise<Served> {
  return serve(
    [
      [
        get,
        ({ ctx }) => {
          ctx.log.info("asked", {
            token: "secret-1",
            iban: "secret-2",
            headers: { Authorization: "secret-3" },
          });
          throw new Error("secret-4");
        },
      ],
      [post, ({ ctx }) => ({ id: "1", ip: ctx.ip })],
    ],
    { env: undefined, ...options } as Partial<AppOptions>,
  );
}

/** Returns the entry that the handler logs. */
async function logged(logging: AppOptions["logging"]): Promise<string> {
  const served = await start({ logging: { level: "info", ...logging } });
  await served.send("GET /notes");
  return JSON.stringify(served.log.filter(({ message }) => message === "asked"));
}

const statusOf = async (served: Served, path: string): Promise<number> =>
  (await served.send(`GET ${path}`)).status;

for (const value of values) {
  describe(`an application with NODE_ENV ${value === undefined ? "not set" : JSON.stringify(value)}`, () => {
    const status = isOpen(value) ? 200 : 404;

    it(`responds with ${status} to /openapi.json and /docs by default`, { skip }, async (test) => {
      setEnvironment(test, value);
      const served = await start();
      assert.equal(await statusOf(served, "/openapi.json"), status);
      assert.equal(await statusOf(served, "/docs"), status);
      assert.equal(await statusOf(served, "/docs/openapi.json"), status);
    });

    it("serves the document and the reference only if the options are true", { skip }, async (test) => {
      setEnvironment(test, value);
      const on = await start({ openapi: true, docs: { path: "/reference" } });
      assert.equal(await statusOf(on, "/openapi.json"), 200);
      assert.equal(await statusOf(on, "/reference"), 200);
      const off = await start({ openapi: false, docs: false });
      assert.equal(await statusOf(off, "/openapi.json"), 404);
      assert.equal(await statusOf(off, "/docs"), 404);
    });

    it("sends the message of an unknown error only in development", async (test) => {
      setEnvironment(test, value);
      const { text } = await (await start()).send("GET /notes");
      assert.equal(text!.includes("secret-4"), value === "development");
      const request = {
        traceId: "t",
        requestId: "r",
        phase: "handler",
        route: null,
        serverAdapter: "memory",
      } as const;
      const message = createErrorMiddleware()(new Error("x"), request).body.error.message;
      assert.equal(message === "x", value === "development");
    });

    it("hides credentials and the configured names in the log", async (test) => {
      setEnvironment(test, value);
      assert.match(
        await logged({}),
        /"token":"\[redacted\]","iban":"secret-2","headers":\{"Authorization":"\[redacted\]"/,
      );
      assert.doesNotMatch(await logged({ redact: ["iban"] }), /secret-/);
      assert.match(await logged({ redactDefaults: false }), /secret-1.*secret-2.*secret-3/);
      assert.match(
        await logged({ redactDefaults: false, redact: ["iban"] }),
        /secret-1.*\[redacted\].*secret-3/,
      );
    });

    it("applies its limit of the body size, its trusted proxies and its error middleware", async (test) => {
      setEnvironment(test, value);
      const served = await start({
        limits: { bodyBytes: 20 },
        trustProxy: 1,
        errorMiddleware: (error, { traceId }) => ({
          status: AppError.isAppError(error) ? error.status : 500,
          body: { error: { code: "OWN", message: "own", traceId } },
        }),
      });
      const headers = { "content-type": "application/json", "x-forwarded-for": "203.0.113.9" };
      const answer = await served.send("POST /notes", { body: '{"name":"n"}', headers });
      assert.deepEqual(JSON.parse(answer.text!), { id: "1", ip: "203.0.113.9" });
      const refused = await served.send("POST /notes", json({ name: "n".repeat(20) }));
      assert.equal(refused.status, 413);
      assert.equal(errorOf(await served.send("GET /notes"))["code"], "OWN");
    });
  });
}

it("createApp refuses the options openapi and redactDefaults if they are not booleans", () => {
  for (const options of [{ openapi: "no" }, { logging: { redactDefaults: "no" } }]) {
    assert.throws(
      () => createApp({ server: new MemoryServer(), routes: [], ...options } as unknown as AppOptions),
      /createApp: `(openapi|logging\.redactDefaults)` must be true or false/,
    );
  }
});
