// Tests of input that no contract declares: keys of the query, and bodies. In development kit warns about it. A body on
// GET is always refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { Environment } from "@kit/core";
import { UnauthorizedError } from "@kit/errors";
import { objectOf, paramsOf, queryOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, json, serve, type Served, type TestRoute } from "./support/serve.ts";

const refuse = (): never => {
  throw new UnauthorizedError("UNAUTHORIZED", "Nobody");
};
const note = responseOf("Note", { id: "string?" });
const page = queryOf("Page", { pageSize: "number?", tag: "string?" });
/** Accepts each key that starts with `x-`, as an index signature with a template does. */
const open = {
  ...queryOf("Open", {}),
  query: (text: string) =>
    Object.fromEntries([...new URLSearchParams(text)].filter(([key]) => key.startsWith("x-"))),
};
const routes: readonly TestRoute[] = [
  [route("GET /notes", { query: page, response: note }), () => ({})],
  [route("GET /open", { query: open, response: note }), () => ({})],
  [route("GET /notes/:id", { params: paramsOf("Id", { id: "string" }), response: note }), () => ({})],
  [route("POST /notes/:id", { params: paramsOf("Id", { id: "string" }) }), () => undefined],
  [route("POST /notes", { body: objectOf("New", { title: "string" }), response: note }), () => ({})],
];

async function start(env: Environment): Promise<Served & { warnings(): string[] }> {
  const served = await serve(routes, { env, logLevel: "trace" });
  let known = 0;
  const warnings = (): string[] =>
    served.log
      .slice(known, (known = served.log.length))
      // A refused request is logged as a warning too.
      .filter(({ level, message }) => level === "warn" && message.includes("ignored"))
      .map(({ message, phase }) => `${phase}: ${message}`);
  return { ...served, warnings };
}

describe("a query key that the contract does not declare", () => {
  it("causes a warning in development that names the most similar declared key", async () => {
    const { send, warnings } = await start("development");
    for (const [target, warning] of [
      ["/notes?pagesize=1", `GET /notes: the query key "pagesize" | did you mean "pageSize"?`],
      ["/notes?page%53ise=1", `GET /notes: the query key "pageSise" | did you mean "pageSize"?`],
      ["/notes?tag[]=a&tag[]=b", `GET /notes: the query key "tag[]" | write a list as tag=a&tag=b`],
      ["/notes?tag%5B0%5D=a", `GET /notes: the query key "tag[0]" | write a list as tag=a&tag=b`],
      ["/notes?tags[]=a", `GET /notes: the query key "tags[]" | did you mean "tag"?`],
      ["/notes?filter=a", `GET /notes: the query key "filter" | the contract declares pageSize, tag`],
      ["/notes?%22%0A", `GET /notes: the query key "\\"\\n" | the contract declares pageSize, tag`],
      ["/notes/1?a=1", `GET /notes/:id: the query key "a" | the contract has no query`],
      ["/open?x-a=1&y=1", `GET /open: the query key "y" | the contract accepts only keys of another form`],
    ] as const) {
      assert.equal((await send(`GET ${target}`)).status, 200, target);
      const message = warning.replace(" | ", " is ignored, because the contract does not declare this key; ");
      assert.deepEqual(warnings(), [`validation:query: ${message}`], target);
    }
  });

  it("causes a warning even if the request is refused", async () => {
    const { send, warnings } = await start("development");
    assert.equal((await send("GET /notes?pageSize=x&pagesize=1")).status, 400);
    assert.equal(warnings().length, 1);
    assert.equal((await send("POST /notes?x=1", json({}))).status, 400);
    assert.equal(warnings().length, 1);
  });

  it("causes one warning per route, and at most a hundred warnings in total", async () => {
    const { send, warnings } = await start("development");
    await send("GET /notes?x=1&x=2");
    await send("GET /notes?x=3");
    assert.equal(warnings().length, 1);
    await send("GET /notes/1?x=1");
    assert.equal(warnings().length, 1);
    const many = Array.from({ length: 1000 }, (_, number) => `key${number}=1`).join("&");
    await send(`GET /notes?${many}`);
    const warned = warnings();
    assert.equal(warned.length, 99);
    assert.match(
      warned.at(-1)!,
      /More than 100 query keys and bodies were ignored. The log lists only the first 100$/,
    );
    await send("GET /open?y=1");
    assert.deepEqual(warnings(), []);
  });

  it("causes no warning in production and test", async () => {
    for (const env of ["production", "test"] as const) {
      const { send, warnings } = await start(env);
      await send("GET /notes?pagesize=1");
      await send("POST /notes/1", { body: "x" });
      assert.deepEqual(warnings(), [], env);
    }
    const { send, warnings } = await start("development");
    await send("GET /notes?pageSize=1&tag=a&&");
    assert.deepEqual(warnings(), []);
  });
});

describe("a body that the contract does not declare", () => {
  it("is refused on GET and HEAD after middleware has run, in any environment", async () => {
    for (const env of ["production", "development"] as const) {
      const { send } = await start(env);
      for (const method of ["GET", "HEAD"]) {
        const answer = await send(`${method} /notes/1`, { body: "hello" });
        assert.equal(answer.status, 400);
        const { code, message, details } = errorOf(answer);
        assert.equal(code, "VALIDATION_ERROR");
        assert.equal(message, "Invalid body: $: expected no body, received a body of 5 bytes");
        const [field] = (details as { fields: { path: string; expected: string }[] }).fields;
        assert.deepEqual([field?.path, field?.expected], ["$", "no body"]);
      }
    }
    const { send } = await serve(
      routes.map(([compiled, handler]) => [{ ...compiled, middleware: ["auth"] }, handler]),
      { middleware: [{ name: "auth", middleware: refuse, priority: 1 }] },
    );
    assert.equal((await send("GET /notes/1", { body: "hello" })).status, 401);
  });

  it("causes a single warning in development for methods other than GET and HEAD", async () => {
    const { send, warnings } = await start("development");
    for (let times = 0; times < 2; times += 1)
      assert.equal((await send("POST /notes/1", { body: "{}" })).status, 204);
    assert.deepEqual(warnings(), [
      "validation:body: POST /notes/:id: the body of the request is ignored, because the contract has no body",
    ]);
  });
});
