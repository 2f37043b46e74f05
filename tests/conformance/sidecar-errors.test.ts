// Tests the error responses of an application with a debug sidecar, on every server. By default, those in production
// contain no details of the project.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type DebugOptions, debugPlugin } from "@kit/plugin-debug";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { serve, type Served } from "./application.ts";
import { notInRust } from "./rust.ts";
import { servers } from "./servers.ts";

quietStdout();

const production: DebugOptions = { port: 0, mode: "production", apiKey: "of-the-test" };
const development: DebugOptions = { port: 0, mode: "dev", security: { hostname: "127.0.0.1" } };

type Fields = Record<string, unknown>;

async function errorOf({ port }: Served, path: string, init?: RequestInit): Promise<Fields> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return ((await answer.json()) as { error: Fields }).error;
}

const badNote: RequestInit = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ text: 5 }),
};
const plain = ["code", "details", "message", "traceId"];
const open = ["phase", "requestId", "server", "serverAdapter", "status", "timestamp"];
const names = (error: Fields): string[] => Object.keys(error).toSorted();
const sorted = (...lists: string[][]): string[] => lists.flat().toSorted();

notInRust("errors beside a debug sidecar", "the sidecar of a Rust server does not change error responses");

for (const [name, make] of servers) {
  describe(name, () => {
    const apps: Served[] = [];
    const start = async (options: DebugOptions): Promise<Served> => {
      const app = await serve(make(), 65_536, { plugins: [debugPlugin(options)] });
      apps.push(app);
      return app;
    };
    after(() => Promise.all(apps.map((app) => app[Symbol.asyncDispose]())));

    describe("an application with a sidecar in production", () => {
      let app: Served;
      before(async () => {
        app = await start(production);
      });

      test("lists the failures, the route and the schema if a request breaks the contract of its route", async () => {
        const error = await errorOf(app, "/notes", badNote);
        assert.deepEqual(names(error), sorted(plain, open, ["failures", "route", "schema"]));
        const { status, phase, route, schema, failures, server, serverAdapter } = error;
        assert.deepEqual(
          { status, phase, route, schema },
          { status: 400, phase: "validation:body", route: "POST /notes", schema: "Text" },
        );
        assert.equal(server, serverAdapter);
        const [failure] = failures as Fields[];
        assert.equal(failure!["path"], "$.text");
        assert.equal(typeof failure!["suggestion"], "string");
        assert.ok(!Number.isNaN(Date.parse(String(error["timestamp"]))));
      });

      test("adds the route to an error that the application throws", async () => {
        const error = await errorOf(app, "/fail");
        assert.deepEqual(names(error), sorted(plain, open, ["route"]));
        assert.deepEqual([error["code"], error["status"], error["phase"]], ["TAKEN", 409, "handler"]);
      });

      test("sends neither the message nor the stack of any other error", async () => {
        const error = await errorOf(app, "/bug");
        assert.deepEqual(names(error), sorted(["code", "message", "traceId"], open, ["route"]));
        assert.equal(error["message"], "Internal Server Error");
        assert.doesNotMatch(JSON.stringify(error), /secret|stack|\.ts/);
      });

      test("adds no route to the error for a path that does not exist", async () => {
        const error = await errorOf(app, "/nowhere");
        assert.deepEqual(names(error), sorted(["code", "message", "traceId"], open));
        assert.equal(error["status"], 404);
      });
    });

    test('in production, adds nothing if the sidecar\'s `errorFields` is "none"', async () => {
      const error = await errorOf(await start({ ...production, errorFields: "none" }), "/notes", badNote);
      assert.deepEqual(names(error), plain);
    });

    test("an application with a sidecar in development mode adds locations, and hides the message of an unknown error", async () => {
      const app = await start(development);
      const error = await errorOf(app, "/notes", badNote);
      assert.deepEqual(names(error), sorted(plain, open, ["failures", "relatedTests", "route", "schema"]));
      const bug = await errorOf(app, "/bug");
      assert.equal(bug["message"], "Internal Server Error");
      assert.doesNotMatch(JSON.stringify(bug), /secret|stack/);
      assert.ok("relatedTests" in (bug["details"] as Fields));
    });
  });
}
