// Contract tests of applications in which `server.routes` passes requests on to Express or Hono. The framework may answer a method that
// the path of a route does not have. All other answers must be the 405 of kit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type AppOptions, createApp } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { honoServer } from "@kit/server-hono";
import type { RouteTable } from "@kit/testing";
import type { ServerAdapter } from "@kit/types";
import express, { type Express, type RequestHandler } from "express";
import { Hono } from "hono";

import { compiled, paramsOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";
import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { type Ran, runContractTests } from "./run-contract-tests.ts";

quietStdout();

const ref = "GET /notes/:id";
const program = compiled(
  route(ref, {
    params: paramsOf("Id", { id: "string" }),
    response: responseOf("Note", { text: "string" }),
  }),
);
const table: RouteTable = {
  route: ref,
  replies: [
    {
      status: 200,
      body: { kind: "object", properties: [{ key: "text", shape: { kind: "string" } }] },
    },
  ],
  wrongMethod: { method: "PUT", allow: "GET, HEAD" },
  request: { params: { id: "a b" } },
};
const name = `${ref}: refuses PUT`;

/** Runs the contract tests of an application with one route. */
function run(server: ServerAdapter, routes: readonly RouteTable[] = [table]): Promise<Ran> {
  const app = createApp({
    server,
    compiled: program,
    env: "test",
    signals: false,
    logging: { level: "fatal" },
    routes: [{ handlers: { [ref]: () => ({ text: "hi" }) } }],
  } as unknown as AppOptions);
  return runContractTests(app, {
    group: "Notes",
    contracts: { application: program, routes: [{ route: ref, successes: [200], errors: [] }] },
    directory: import.meta.dirname,
    routes,
  });
}

/** Creates an Express application. `before` and `after` add its middleware before and after kit's routes. */
function web(before: (app: Express) => unknown, after: (app: Express) => unknown): ServerAdapter {
  const app = express();
  const server = expressServer({ app });
  before(app);
  app.use(server.routes);
  after(app);
  return server;
}

const nothing = (): void => {};
const old: RequestHandler = (_request, response) => void response.send("old");
const notFound: RequestHandler = (_request, response) => void response.status(404).json({ message: "old" });

function assertSkipped({ passed, failed, skipped }: Ran, status: number): void {
  assert.deepEqual([...failed], []);
  assert.deepEqual(
    [...skipped],
    [[name, `\`server.routes\` has passed PUT on to the framework, which answered ${status}`]],
  );
  assert.deepEqual(passed, [`${ref}: answers a valid request`]);
}

describe("contract tests with server.routes of Express", () => {
  test("skip the wrong method if a handler for unknown paths answers 404", async () => {
    assertSkipped(await run(web(nothing, (app) => app.use(notFound))), 404);
  });

  test("skip the wrong method if the application has an own route with this method", async () => {
    assertSkipped(await run(web(nothing, (app) => app.put("/notes/:id", old))), 200);
  });

  test("check the 405 of kit if no handler of the application answers", async () => {
    const right = await run(web(nothing, (app) => app.use(express.json())));
    assert.deepEqual([[...right.failed], [...right.skipped]], [[], []]);
    assert.ok(right.passed.includes(name));

    const other = [{ ...table, wrongMethod: { method: "PUT", allow: "GET, HEAD, POST" } }];
    const wrong = await run(web(nothing, nothing), other);
    assert.match(wrong.failed.get(name) ?? "", /`Allow` is GET, HEAD, expected GET, HEAD, POST/);
  });

  test("fail if middleware before server.routes answers the wrong method with 404", async () => {
    const { failed, skipped } = await run(web((app) => app.put("/notes/:id", notFound), nothing));
    assert.deepEqual([...failed.keys()], [name]);
    assert.equal(skipped.size, 0);
  });

  test("fail if the application does not use server.routes and answers the wrong method with 404", async () => {
    const app = express();
    app.put("/notes/:id", notFound);
    const { failed, skipped } = await run(expressServer({ app }));
    assert.deepEqual([...failed.keys()], [name]);
    assert.equal(skipped.size, 0);
  });
});

describe("contract tests with server.routes of Hono", () => {
  test("skip the wrong method if a handler for all paths answers", async () => {
    const app = new Hono();
    const server = honoServer({ app });
    app.use(server.routes);
    app.all("*", (c) => c.text("page", 404));
    assertSkipped(await run(server), 404);
  });

  test("check the 405 of kit if no handler of the application answers", async () => {
    const app = new Hono();
    const server = honoServer({ app });
    app.use(server.routes);
    app.get("/old", (c) => c.text("old"));
    const right = await run(server);
    assert.deepEqual([[...right.failed], [...right.skipped]], [[], []]);
    assert.ok(right.passed.includes(name));
  });
});
