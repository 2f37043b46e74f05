import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { NotFoundError } from "@kit/errors";

import { headerWriterOf, responseOf, route } from "./support/compiled.ts";
import { errorOf, serve, type TestHandler } from "./support/serve.ts";

const order = responseOf("Order", { id: "string" });
const post = route("POST /orders", {
  status: 201,
  replies: {
    201: { body: order, headers: headerWriterOf("CreatedHeaders", { location: "string", etag: "string?" }) },
    202: { body: responseOf("Job", { job: "number" }), headers: null },
    204: { body: null, headers: null },
    303: { body: null, headers: headerWriterOf("MovedHeaders", { location: "string", age: "number?" }) },
  },
});
const details = responseOf("SoldOutDetails", { left: "number" });
const failing = route("GET /orders", { response: order, details: { SOLD_OUT: details } });

function answering(handler: TestHandler, env: "production" | "development" = "production") {
  return serve([[post, handler]], { env, logLevel: "info" });
}

function soldOut(left: unknown): TestHandler {
  return ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left });
}

describe("a contract with replies", () => {
  it("sends the status, the declared body and the declared headers of the reply", async () => {
    const { send } = await answering(({ reply }) =>
      reply(201, { id: "1", secret: true }, { location: "/orders/1", "x-secret": "no" }),
    );
    assert.deepEqual(await send("POST /orders"), {
      status: 201,
      contentType: "application/json",
      text: '{"id":"1"}',
      headers: ["location", "/orders/1"],
    });
  });

  it("uses the serializer of each status, and sends no body for a reply without a body", async () => {
    const replies: Record<string, TestHandler> = {
      job: ({ reply }) => reply(202, { job: 7 }),
      nothing: async ({ reply }) => reply(204),
      moved: ({ reply }) => reply(303, { location: "/", age: 3 }),
    };
    let current = "";
    const { send } = await answering((input) => replies[current]!(input));
    const answers: unknown[] = [];
    for (current of Object.keys(replies)) {
      const { status, contentType, text, headers } = await send("POST /orders");
      answers.push([status, contentType, text, headers]);
    }
    assert.deepEqual(answers, [
      [202, "application/json", '{"job":7}', []],
      [204, null, null, []],
      [303, null, null, ["location", "/", "age", "3"]],
    ]);
  });

  it("keeps the headers and cookies that ctx sets, and replaces a header that the reply declares too", async () => {
    const { send } = await answering(({ reply, ctx }) => {
      ctx.header("location", "/old").header("x-own", "1").cookie("a", "1", { path: "/" });
      return reply(303, { location: "/new" });
    });
    const { headers } = await send("POST /orders");
    assert.deepEqual(headers, [
      "x-own",
      "1",
      "set-cookie",
      "a=1; Path=/; Secure; HttpOnly; SameSite=Lax",
      "location",
      "/new",
    ]);
  });

  const mistakes: readonly [name: string, handler: TestHandler, message: RegExp][] = [
    ["a status that is not declared", ({ reply }) => reply(200, {}), /declares no reply with the status 200/],
    [
      "too many arguments",
      ({ reply }) => reply(202, { job: 1 }, {}),
      /received 2 arguments after the status, but takes 1, because the contract declares only a body for this reply/,
    ],
    [
      "a value in place of a reply",
      () => ({ id: "1" }),
      /returned a value, but the contract declares replies/,
    ],
    ["nothing in place of a reply", () => undefined, /returned nothing, but the contract declares replies/],
    ["a call of ctx.status", ({ reply, ctx }) => ctx.status(204) && reply(204), /ctx\.status cannot be used/],
    ["a call of ctx.send", ({ ctx }) => ctx.send("x"), /ctx\.send cannot be used/],
    [
      "a header value with a line break",
      ({ reply }) => reply(303, { location: "/\r\nset-cookie: a=b" }),
      /\$\.location has a line break/,
    ],
    [
      "a header value outside of Latin-1",
      ({ reply }) => reply(303, { location: "/€" }),
      /header location of the reply cannot be sent/,
    ],
    ["a body without a JSON form", ({ reply }) => reply(202, null), /\$: null has no JSON form/],
  ];
  for (const [name, handler, message] of mistakes) {
    it(`responds with 500 and logs the reason after ${name}`, async () => {
      const { send, log } = await answering(handler);
      const answer = await send("POST /orders");
      assert.deepEqual([answer.status, answer.headers], [500, []]);
      assert.equal(errorOf(answer)["message"], "Internal Server Error");
      assert.equal(log.length, 1);
      assert.match(log[0]!.message, message);
    });
  }

  it("checks body and headers of a reply in development, and names the reply that breaks the contract", async () => {
    const wrongBody = await answering(({ reply }) => reply(202, { job: "x" }), "development");
    assert.match(
      String(errorOf(await wrongBody.send("POST /orders"))["message"]),
      /returned a reply 202 with a body that is not a valid Job: \$\.job: expected number/,
    );
    const noHeader = await answering(({ reply }) => reply(201, { id: "1" }), "development");
    assert.match(
      String(errorOf(await noHeader.send("POST /orders"))["message"]),
      /returned a reply 201 with headers that are not a valid CreatedHeaders: \$\.location: expected string, received nothing/,
    );
  });

  it("refuses a reply that another route created", async () => {
    const other = route("GET /other", { status: 200, replies: { 200: { body: order, headers: null } } });
    let kept: unknown;
    const { send } = await serve([
      [other, ({ reply }) => (kept = reply(200, { id: "1" }))],
      [post, () => kept],
    ]);
    assert.equal((await send("GET /other")).status, 200);
    assert.equal((await send("POST /orders")).status, 500);
  });
});

describe("a contract with details of errors", () => {
  it("sends the declared properties of the details only, and leaves the thrown error unchanged", async () => {
    const seen: unknown[] = [];
    const { send } = await serve(
      [[failing, ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left: 2, internal: "secret" })]],
      { plugins: [{ name: "errors", onError: (error) => void seen.push(error) }] },
    );
    const answer = await send("GET /orders");
    assert.equal(answer.status, 409);
    assert.deepEqual(errorOf(answer)["details"], { left: 2 });
    assert.ok(seen[0] instanceof Error);
  });

  it("does not change errors with other codes", async () => {
    const { send } = await serve([
      [
        failing,
        () => {
          throw new NotFoundError("GONE", "Gone", { any: 1 });
        },
      ],
    ]);
    assert.deepEqual(errorOf(await send("GET /orders"))["details"], { any: 1 });
  });

  it("responds with 500 and logs the reason if the details break the contract", async () => {
    const { send, log } = await serve([[failing, soldOut("none")]], { env: "development", logLevel: "info" });
    const answer = await send("GET /orders");
    assert.equal(answer.status, 500);
    assert.match(
      log[0]!.message,
      /GET \/orders returned the error SOLD_OUT with details that are not a valid SoldOutDetails: \$\.left/,
    );
  });

  it("logs the error with its message and stack", async () => {
    const { send, log } = await serve([[failing, soldOut(1)]], { logLevel: "info" });
    await send("GET /orders");
    assert.equal(log[0]!.message, "Sold out");
    assert.match(JSON.stringify(log[0]!.data), /"stack":"ConflictError: Sold out.*"code":"SOLD_OUT"/);
  });
});
