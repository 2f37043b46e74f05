// Headers of fixtures in contract tests. Every request has them, and a function is called for each request.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createApp, type AppOptions, type MiddlewareInput } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";
import { nativeServer } from "@kit/server-native";

import {
  compiled,
  cookiesOf,
  headersOf,
  objectOf,
  responseOf,
  route,
} from "../../core/test/support/compiled.ts";
import { quietStdout } from "../../core/test/support/quiet-stdout.ts";
import { contractTests } from "../src/contracts/suite.ts";
import type { RouteTable, TestRunner } from "../src/contracts/tables.ts";
import { defineFixtures, type Fixtures } from "../src/fixtures.ts";
import { missing } from "../src/values/values-at-paths.ts";

quietStdout();

const ref = "POST /things";
const program = compiled(
  route(ref, {
    headers: headersOf("Tenant", { tenant: "string" }),
    cookies: cookiesOf("Session", { sid: "string" }),
    body: objectOf("NewThing", { name: "string", size: "number?" }),
    response: responseOf("Thing", { name: "string" }),
    middleware: ["auth"],
  }),
);
const text = { kind: "string" } as const;
const body = {
  kind: "object",
  properties: [
    { key: "name", shape: text },
    { key: "size", shape: { kind: "number" }, optional: "always" },
  ],
} as const;
const table: RouteTable = {
  route: ref,
  headers: { "x-of-route": "configured" },
  replies: [{ status: 201, body: { kind: "object", properties: [{ key: "name", shape: text }] } }],
  errors: [],
  wrongMethod: { method: "PATCH", allow: "POST" },
  request: { headers: { tenant: "tenant" }, cookies: { sid: "sid" }, body: { name: "a" } },
  closed: [["body", "$"]],
  accepts: [["body", "$.size", "a number", 5]],
  refuses: [
    ["headers", "$.tenant", "missing", missing],
    ["cookies", "$.sid", "missing", missing],
    ["body", "$.name", "a number", 42],
  ],
};

/** Tokens that have been signed and were not used in a request yet. */
class Tokens {
  readonly #open = new Set<string>();
  #count = 0;

  async sign(): Promise<string> {
    await Promise.resolve();
    this.#count += 1;
    const token = `Bearer ${this.#count}`;
    this.#open.add(token);
    return token;
  }

  /** Uses a token. A token is valid for one request. */
  use(token = ""): void {
    if (!this.#open.delete(token)) throw new UnauthorizedError("UNAUTHORIZED", `no token: ${token}`);
  }
}

interface Result {
  readonly name: string;
  readonly error?: unknown;
}

function skip(reason?: string): void {
  assert.fail(`skipped: ${reason}`);
}

/** Runs the contract tests of the route, and calls `onHeaders` with the headers of each request. */
async function run(
  fixtures: Fixtures,
  onHeaders: (headers: MiddlewareInput["headers"]) => void,
): Promise<Result[]> {
  const app = createApp({
    server: nativeServer(),
    compiled: program,
    env: "test",
    signals: false,
    logging: { level: "fatal" },
    middleware: [
      { name: "auth", middleware: ({ headers }: MiddlewareInput) => onHeaders(headers), priority: 1 },
    ],
    routes: [{ handlers: { [ref]: ({ body: { name } }: { body: { name: string } }) => ({ name }) } }],
  } as unknown as AppOptions);
  const tests: { name: string; run: Parameters<TestRunner["test"]>[1] }[] = [];
  const [before, after]: (() => Promise<void>)[][] = [[], []];
  contractTests({
    runner: {
      describe: (_, define) => define(),
      test: (name, call) => tests.push({ name, run: call }),
      before: (call) => before!.push(call),
      after: (call) => after!.push(call),
    },
    group: "Things",
    contracts: { application: program, routes: [{ route: ref, successes: [201], errors: [], body }] },
    app: () => Promise.resolve({ app }),
    fixtures: () => Promise.resolve({ default: fixtures }),
    root: new URL(".", import.meta.url),
    database: false,
    headers: {
      "x-of-all": "configured",
      "x-of-route": "of all",
      tenant: "acme",
      cookie: "sid=s1; theme=dark",
    },
    routes: [table],
  });
  const results: Result[] = [];
  try {
    for (const call of before!) await call();
    for (const { name, run: call } of tests) {
      try {
        await call({ skip });
        results.push({ name });
      } catch (error) {
        results.push({ name, error });
      }
    }
  } finally {
    for (const call of after!) await call();
  }
  return results;
}

function assertPassed(results: readonly Result[]): void {
  for (const { name, error } of results) assert.equal(error, undefined, `${name}: ${String(error)}`);
  // At least nine tests must run: a wrong method, a valid request, rows, undeclared properties and bodies.
  assert.ok(results.length >= 9, results.map(({ name }) => name).join("\n"));
}

test("calls a function that signs tokens for each request of the contract tests", async () => {
  const tokens = new Tokens();
  const fixtures = defineFixtures({ headers: async () => ({ Authorization: await tokens.sign() }) });
  assertPassed(await run(fixtures, ({ authorization }) => tokens.use(authorization)));
});

test("calls the headers function of a route's fixture for each request of the route", async () => {
  const tokens = new Tokens();
  const headers = async (): Promise<Record<string, string>> => ({ authorization: await tokens.sign() });
  const use = ({ authorization }: MiddlewareInput["headers"]): void => tokens.use(authorization);
  assertPassed(await run(defineFixtures({ routes: { [ref]: { headers } } }), use));
  assertPassed(await run(defineFixtures({ routes: { [ref]: async () => ({ headers }) } }), use));
  const made = defineFixtures({ routes: { [ref]: async () => ({ headers: await headers() }) } });
  assertPassed(await run(made, use));
});

test("does not call a fixture function for invalid requests if the function returns no headers", async () => {
  let made = 0;
  const fixtures = defineFixtures({
    routes: {
      [ref]: () => {
        made += 1;
        return { body: { name: "of a fixture" } };
      },
    },
  });
  const results = await run(fixtures, () => {});
  assertPassed(results);
  const valid = results.filter(({ name }) => /^(?:answers a valid|takes|drops)/.test(name)).length;
  // One invalid request calls the fixture function. Its result has no headers, so it is not called for the others.
  assert.ok(made <= valid + 1, `${made} of ${valid}`);
});

test("headers of a route's fixture override headers of all fixtures, which override headers of the configuration", async () => {
  const all: MiddlewareInput["headers"][] = [];
  const fixtures = defineFixtures({
    headers: { "X-Of-All": "fixtures", "x-of-fixture": "fixtures" },
    routes: { [ref]: { headers: { "x-of-fixture": "route", "x-of-route": "fixture" } } },
  });
  assertPassed(await run(fixtures, (headers) => void all.push({ ...headers })));
  assert.ok(all.length > 0);
  for (const headers of all) {
    const { "x-of-all": ofAll, "x-of-fixture": ofFixture, "x-of-route": ofRoute } = headers;
    assert.deepEqual([ofAll, ofFixture, ofRoute], ["fixtures", "route", "fixture"]);
  }
});

test("headers and cookies of the configuration are part of all requests except those of tests that leave them out", async () => {
  const all: MiddlewareInput["headers"][] = [];
  assertPassed(await run({}, (headers) => void all.push({ ...headers })));
  const sent = all.map(({ tenant, cookie }) => `${tenant} ${cookie}`);
  const usual = "acme sid=s1; theme=dark";
  const others = sent.filter((line) => line !== usual);
  assert.ok(sent.length >= others.length + 5, sent.join("\n"));
  assert.deepEqual(others.toSorted(), ["acme theme=dark", "undefined sid=s1; theme=dark"]);
});

test("names the header in the failure if its value has no text", async () => {
  const nothing = undefined as unknown as string;
  const fixtures = defineFixtures({ routes: { [ref]: { headers: { authorization: nothing } } } });
  const results = await run(fixtures, () => {});
  assert.match(
    String(results[0]?.error),
    /The header `authorization` of a test is undefined, but must be a string, a number, a boolean, a bigint or a Date, or a list of these/,
  );
});
