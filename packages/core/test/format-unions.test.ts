// Tests of handlers whose responses have one of several formats.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type AnyHandlers, createApp } from "@kit/core";

import program from "../../../crates/kit-emit/tests/goldens/formats/routes/index.ts";
import { quietStdout } from "./support/quiet-stdout.ts";

quietStdout();

const none = (): undefined => undefined;
const others: AnyHandlers = {
  "POST /orders": none,
  "POST /photos": none,
  "GET /export": none,
  "GET /watch": none,
};

/** Sends a request to the report of an application. */
async function report(handler: () => unknown, accept: string): Promise<{ status: number; text: string }> {
  const handlers = { ...others, "GET /report": handler } as never;
  const app = createApp({
    env: "development",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [{ handlers }],
  });
  try {
    const response = await app.fetch(new Request("http://localhost/report", { headers: { accept } }));
    return { status: response.status, text: await response.text() };
  } finally {
    await app.close({ graceMs: 0 });
  }
}

test("calls only the function of the chosen media type", async () => {
  const called: string[] = [];
  const functions = Object.fromEntries(
    ["application/json", "text/csv", "application/pdf", "application/jsonl"].map((type) => [
      type,
      () => {
        called.push(type);
        return "a,b";
      },
    ]),
  );
  assert.deepEqual(await report(() => functions, "text/csv"), { status: 200, text: "a,b" });
  assert.deepEqual(called, ["text/csv"]);
});

test("answers 406 without a call of the handler", async () => {
  let calls = 0;
  const { status } = await report(() => (calls += 1), "image/png");
  assert.equal(status, 406);
  assert.equal(calls, 0);
});

test("answers 500 and names the media types if the handler returns no function for the chosen one", async () => {
  for (const result of [undefined, "a,b", { "application/json": () => [] }, { "text/csv": "a,b" }]) {
    const { status, text } = await report(() => result, "text/csv");
    assert.equal(status, 500);
    assert.match(text, /returned no function for the media type text\/csv; return \{ /);
  }
});

function failing(): never {
  throw new TypeError("the table is gone");
}

test("answers with the error of a function, even if the function fails asynchronously", async () => {
  for (const write of [failing, async () => failing()]) {
    const { status, text } = await report(async () => ({ "text/csv": write }), "text/csv");
    assert.equal(status, 500);
    assert.match(text, /the table is gone/);
  }
});

test("answers 500 if the value of JSON breaks the contract", async () => {
  const { status, text } = await report(() => ({ "application/json": () => [{ title: 1 }] }), "*/*");
  assert.equal(status, 500);
  assert.match(text, /GetReportResponseJson/);
});
