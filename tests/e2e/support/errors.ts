import assert from "node:assert/strict";
import type { Answer } from "./api.ts";
import type { ErrorJson } from "./wire.ts";

/** Asserts that a response is an error with this status and code, in the format of all errors. Returns the error. */
export function assertError(answer: Answer<unknown>, status: number, code: string): ErrorJson["error"] {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
  const body = answer.body as ErrorJson;
  assert.deepEqual(Object.keys(body), ["error"]);
  assert.equal(body.error.code, code, answer.text);
  assert.ok(body.error.message.length > 0);
  assert.match(body.error.traceId, /^[0-9a-f]{32}$/);
  return body.error;
}

/** Asserts that a response is a validation error for exactly these paths. Returns the error. */
export function assertInvalid(answer: Answer<unknown>, ...paths: readonly string[]): ErrorJson["error"] {
  const error = assertError(answer, 400, "VALIDATION_ERROR");
  const fields = error.details?.fields ?? [];
  assert.deepEqual(
    fields.map((field) => field.path),
    paths,
    answer.text,
  );
  for (const field of fields) assert.ok(field.expected.length > 0, answer.text);
  return error;
}
