import { AssertionError } from "node:assert";

import { explain, type Shape } from "@kit/core/codec";
import type { ValidationFailure } from "@kit/types";

import { curlOf } from "../curl.ts";
import { outputShape } from "../matching/output-shape.ts";
import { requestOf, type TestResponse } from "../test-response.ts";
import { headerValues } from "./header-values.ts";
import type { DeclaredReply, RouteTable } from "./tables.ts";

/** Content of the property `error` that every error response has. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly fields?: readonly Partial<ValidationFailure>[] };
}

/**
 * Throws an error for a response that breaks its contract. The message contains the request as a curl command, followed by the response.
 */
export function fail(message: string, answer?: TestResponse): never {
  const asked = answer === undefined ? undefined : requestOf(answer);
  const shown = [
    message,
    ...(asked === undefined ? [] : [curlOf(asked)]),
    ...(answer === undefined ? [] : [`answered: ${answer.status} ${answer.text.slice(0, 2000)}`]),
  ];
  throw new AssertionError({ message: shown.join("\n"), stackStartFn: fail });
}

/**
 * Checks the response to a valid request against the contract of its route. Valid are the declared success status with the declared body,
 * and the declared errors.
 *
 * @param mustSucceed - True if the route has a fixture. A declared error is not valid then.
 */
export function expectAnswered(table: RouteTable, answer: TestResponse, mustSucceed: boolean): void {
  const reply = replyOf(table, answer);
  if (reply !== undefined) return expectContent(table, reply, answer);
  const error = expectEnvelope(table, answer);
  if (answer.status >= 500) fail(`${table.route} failed with ${error.code}: ${error.message}`, answer);
  if (error.code === "VALIDATION_ERROR" && answer.status === 400) {
    const fields = (error.details?.fields ?? []).map(({ path, expected }) => `${path}: expected ${expected}`);
    fail(`${table.route} refused what its contract allows: ${fields.join("; ") || error.message}`, answer);
  }
  const name = `${answer.status} ${error.code}`;
  if (!table.errors?.includes(name)) {
    fail(
      `${table.route} answered ${name}, which its contract does not declare; add \`@throws ${error.code} ${answer.status}\` to the route, or give it a fixture`,
      answer,
    );
  }
  const details = table.details?.[name];
  if (details !== undefined)
    expectShape(`${table.route} (details of ${name})`, details, error.details, answer);
  if (mustSucceed) fail(`${table.route} has a fixture, but answered ${name}`, answer);
}

/** Returns the declared reply with the status of the response. `undefined` if the contract declares no such reply. */
function replyOf({ replies = [] }: RouteTable, answer: TestResponse): DeclaredReply | undefined {
  return replies.find(({ status }) => status === answer.status);
}

function expectContent(
  { route }: RouteTable,
  { body: response, headers }: DeclaredReply,
  answer: TestResponse,
): void {
  if (headers !== undefined) {
    expectShape(`${route} (headers)`, headers, headerValues(headers, answer.headers), answer);
  }
  if (response === null) {
    if (answer.text !== "") fail(`The contract of ${route} says that there is no body`, answer);
    return;
  }
  const type = answer.headers.get("content-type") ?? "nothing";
  if (!/^application\/json\b/.test(type)) {
    // A handler that uses `ctx.send` sets the content type itself, so a body that is not JSON is valid.
    if (answer.body === undefined) return;
    fail(`${route} answered JSON as ${type}`, answer);
  }
  if (answer.body === undefined) fail(`${route} answered no JSON`, answer);
  expectShape(route, response, answer.body, answer);
}

function expectShape(route: string, shape: Shape, value: unknown, answer: TestResponse): void {
  const [first, ...more] = explain(outputShape(shape), value, "wire");
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  fail(
    `The answer of ${route} does not fit its contract: ${first.path}: expected ${first.expected}, received ${first.received}${others}`,
    answer,
  );
}

/** Returns the error in a response. Fails if the response does not have the format of all errors of kit. */
function expectEnvelope({ route }: RouteTable, answer: TestResponse): Failure {
  const error = (answer.body as { error?: Partial<Failure> & { traceId?: unknown } } | undefined)?.error;
  const isEnvelope =
    typeof error?.code === "string" && typeof error.message === "string" && typeof error.traceId === "string";
  if (!isEnvelope) {
    fail(
      `${route} answered neither what its contract says nor an error \`{ error: { code, message, traceId } }\``,
      answer,
    );
  }
  return error as Failure;
}

/** Checks that a response has the given status, and the given error code of kit. */
export function expectError(table: RouteTable, answer: TestResponse, status: number, code: string): Failure {
  const error = expectEnvelope(table, answer);
  if (answer.status !== status || error.code !== code) {
    fail(
      `${table.route} should have answered ${status} ${code}, but answered ${answer.status} ${error.code}`,
      answer,
    );
  }
  return error;
}

/**
 * Checks that the response to an invalid request reports a failure at the given path, and at no other path.
 *
 * @param within - True if the response may also report failures at paths below the given one.
 */
export function expectRefused(table: RouteTable, answer: TestResponse, path: string, within: boolean): void {
  if (replyOf(table, answer) !== undefined)
    fail(`${table.route} accepted a value that its contract forbids at ${path}`, answer);
  const error = expectError(table, answer, 400, "VALIDATION_ERROR");
  const fields = error.details?.fields ?? [];
  const unruled = fields.find(({ rule }) => typeof rule !== "string");
  if (unruled !== undefined) {
    fail(`${table.route} refused the request, but does not say which rule ${unruled.path} breaks`, answer);
  }
  const paths = fields.map((field) => field.path ?? "");
  const isNamed = (named: string): boolean =>
    named === path || (within && named.startsWith(path) && /^[.[]/.test(named.slice(path.length)));
  if (paths.length === 0 || !paths.every(isNamed)) {
    fail(
      `${table.route} refused the request, but names ${paths.join(", ") || "no path"} instead of ${path}`,
      answer,
    );
  }
}
