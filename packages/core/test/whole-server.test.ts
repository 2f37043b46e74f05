import assert from "node:assert/strict";
import { test } from "node:test";

import { paramsOf, responseOf, route } from "./support/compiled.ts";
import { serve } from "./support/serve.ts";

const name = {
  params: paramsOf("Name", { name: "string" }),
  response: responseOf("Value", { name: "string" }),
};

test("OPTIONS * lists the methods of all routes, and runs no handler even if a route would match the target *", async () => {
  const ran: string[] = [];
  const { send } = await serve([
    [route("GET /:name", name), () => void ran.push("GET")],
    [route("OPTIONS /:name", name), () => void ran.push("OPTIONS")],
    [route("DELETE /things/:name", name), () => void ran.push("DELETE")],
  ]);
  const answer = await send("OPTIONS *");
  assert.deepEqual(
    [answer.status, answer.contentType, answer.text, answer.headers],
    [204, null, null, ["allow", "GET, HEAD, DELETE, OPTIONS"]],
  );
  assert.deepEqual(ran, []);
});

test("OPTIONS * of an application without routes lists only OPTIONS", async () => {
  const { send } = await serve([]);
  const answer = await send("OPTIONS *");
  assert.deepEqual([answer.status, answer.headers], [204, ["allow", "OPTIONS"]]);
});
