// Tests of errors of an API whose error bodies are not kit's envelope.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { ApiErrors, ApiFailure, ApiRoute, Codecs, Generated } from "../src/index.ts";
import { createClient } from "../src/index.ts";
import { TestServer } from "./server.ts";

interface Failed {
  readonly kind: string;
  readonly data?: { readonly left: number };
}

interface Routes extends Generated, ApiErrors<Failed, 422> {
  "GET /notes": ApiRoute<{}, string, ApiFailure<"SOLD_OUT", 409>>;
}

const problems: Codecs["errors"] = {
  validationStatus: 422,
  code: ["code"],
  message: ["detail"],
  details: ["details"],
  fields: ["errors"],
  traceId: ["traceId"],
};

async function failWith(status: number, body: string, errors: Codecs["errors"]) {
  await using server = await TestServer.start(() => ({ status, body }));
  const codecs: Codecs = { types: {}, responses: {}, raw: [], ...(errors && { errors }) };
  const api = createClient<Routes>({ baseUrl: server.url, codecs });
  const result = await api.get("/notes").result();
  assert.ok(!result.ok);
  return result.error;
}

describe("the error of a call", () => {
  test("has code, message, details and trace id of problem details", async () => {
    const body = { type: "about:blank", status: 409, detail: "Sold out", code: "SOLD_OUT" };
    const text = JSON.stringify({ ...body, details: { left: 0 }, traceId: "a1" });
    const error = await failWith(409, text, problems);
    assert.deepEqual(
      [error.code, error.status, error.message, error.details, error.traceId],
      ["SOLD_OUT", 409, "Sold out", { left: 0 }, "a1"],
    );
    assert.deepEqual(error.body, JSON.parse(text));
  });

  test("has the invalid values of problem details in details.fields, as with the envelope", async () => {
    const fields = [{ path: "$.a", expected: "string", rule: "type" }];
    const text = JSON.stringify({
      detail: "Invalid",
      code: "VALIDATION_ERROR",
      errors: fields,
      traceId: "a",
    });
    const error = await failWith(422, text, problems);
    assert.ok(error.code === "VALIDATION_ERROR");
    assert.deepEqual(error.details?.fields, fields);
    // The type says that the API responds with 422.
    const status: 422 = error.status;
    assert.equal(status, 422);
  });

  test("has the body with the declared type", async () => {
    const places: Codecs["errors"] = { validationStatus: 422, code: ["kind"], details: ["data"] };
    const error = await failWith(409, JSON.stringify({ kind: "SOLD_OUT", data: { left: 2 } }), places);
    assert.ok(error.code === "SOLD_OUT");
    assert.equal(error.body.data?.left, 2);
    assert.equal(error.message, "The server responded with 409 SOLD_OUT");
    // @ts-expect-error: the declared type has no such property.
    assert.equal(error.body.error, undefined);
  });

  test("has a code that is derived from the status if the format has no code", async () => {
    const error = await failWith(409, JSON.stringify({ errors: { body: ["sold out"] } }), {
      validationStatus: 422,
    });
    assert.equal(String(error.code), "HTTP_409");
    assert.deepEqual(error.body, { errors: { body: ["sold out"] } });
  });

  test("is UNEXPECTED_RESPONSE if the body has another format", async () => {
    assert.equal((await failWith(502, "<h1>Bad Gateway</h1>", problems)).code, "UNEXPECTED_RESPONSE");
    const envelope = JSON.stringify({ error: { code: "A", message: "a", traceId: "a" } });
    assert.equal((await failWith(409, envelope, problems)).code, "UNEXPECTED_RESPONSE");
    const problem = JSON.stringify({ code: "A", detail: "a", traceId: "a" });
    assert.equal((await failWith(409, problem, undefined)).code, "UNEXPECTED_RESPONSE");
    assert.equal((await failWith(409, "[]", undefined)).code, "UNEXPECTED_RESPONSE");
  });
});
