import { AssertionError } from "node:assert";

import { explain, type Shape } from "@kit/core/codec";

import { curlOf } from "../curl.ts";
import { envelope, fitsFormat, type ReadFailure, readFailure } from "../coverage/error-format.ts";
import { outputShape } from "../matching/output-shape.ts";
import { requestOf, type TestResponse } from "../test-response.ts";
import { contentValues } from "./expect-content.ts";
import { headerValues } from "./header-values.ts";
import type { DeclaredReply, RouteTable } from "./tables.ts";

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
 * Checks the response to a valid request against the contract of its route. The response must be a declared reply with a valid body, or a
 * declared error.
 *
 * @param mustSucceed - True if the route has a fixture. A declared error then fails the check, too.
 */
export function expectAnswered(table: RouteTable, answer: TestResponse, mustSucceed: boolean): void {
  const reply = replyOf(table, answer);
  if (reply !== undefined) return expectContent(table, reply, answer);
  const error = expectFormat(table, answer);
  const { validationStatus } = formatOf(table);
  if (answer.status >= 500) {
    fail(`${table.route} failed with ${error.code ?? answer.status}: ${error.message ?? ""}`, answer);
  }
  if (error.code === "VALIDATION_ERROR" && answer.status === validationStatus) {
    const fields = (error.fields ?? []).map(({ path, expected }) => `${path}: expected ${expected}`);
    fail(
      `${table.route} refused a request that its contract allows: ${fields.join("; ") || error.message}`,
      answer,
    );
  }
  const name = nameOf(table, answer, error);
  if (!table.errors?.includes(name)) {
    const [, code = "CODE"] = name.split(" ");
    fail(
      `${table.route} answered with the error ${name}, which its contract does not declare. Add \`@throws ${code} ${answer.status}\` to the route, or add a fixture for the route`,
      answer,
    );
  }
  const details = table.details?.[name];
  if (details !== undefined)
    expectShape(`${table.route} (details of ${name})`, details, error.details, answer);
  if (mustSucceed)
    fail(
      `${table.route} answered with the error ${name}, though its fixture should make the request succeed`,
      answer,
    );
}

/** Checks that a response has the headers of `@deprecatedSince`, `@sunset` and `@successor`. A handler may set other values. */
export function expectLifecycle({ route }: RouteTable, names: readonly string[], answer: TestResponse): void {
  const missing = names.find((name) => answer.headers.get(name) === null);
  if (missing === undefined) return;
  fail(
    `${route} answered without the header \`${missing}\`, which tells clients that the route ends`,
    answer,
  );
}

/** Returns the declared reply with the status of the response. `undefined` if the contract declares no such reply. */
export function replyOf({ replies = [] }: RouteTable, answer: TestResponse): DeclaredReply | undefined {
  return replies.find(({ status }) => status === answer.status);
}

function expectContent(
  { route }: RouteTable,
  { body: response, content, headers }: DeclaredReply,
  answer: TestResponse,
): void {
  if (headers !== undefined) {
    expectShape(`${route} (headers)`, headers, headerValues(headers, answer.headers), answer);
  }
  if (content !== undefined) {
    const values = contentValues(content, answer);
    if (typeof values === "string") fail(`${route} answered with ${values}`, answer);
    for (const { place, shape, value } of values) expectShape(`${route} (${place})`, shape, value, answer);
    return;
  }
  if (response === null) {
    if (answer.text !== "") fail(`${route} answered with a body, but its contract declares none`, answer);
    return;
  }
  const type = answer.headers.get("content-type") ?? "nothing";
  if (!/^application\/json\b/.test(type)) {
    // A handler that uses `ctx.send` sets the content type itself, so a body that is not JSON is valid.
    if (answer.body === undefined) return;
    fail(`${route} answered with the content type ${type}, expected JSON`, answer);
  }
  if (answer.body === undefined) fail(`${route} answered with a body that is not JSON`, answer);
  expectShape(route, response, answer.body, answer);
}

function expectShape(route: string, shape: Shape, value: unknown, answer: TestResponse): void {
  const [first, ...more] = explain(outputShape(shape), value, "wire");
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  fail(
    `The response of ${route} does not match its contract: ${first.path}: expected ${first.expected}, received ${first.received}${others}`,
    answer,
  );
}

function formatOf({ errorFormat }: RouteTable): typeof envelope {
  return errorFormat ?? envelope;
}

/**
 * Returns the status and the code of an error, such as `404 NOTE_NOT_FOUND`. If error bodies have no code,
 * uses the code of the declared error with the same status.
 */
function nameOf({ errors = [] }: RouteTable, { status }: TestResponse, { code }: ReadFailure): string {
  if (code !== undefined) return `${status} ${code}`;
  return errors.find((declared) => declared.startsWith(`${status} `)) ?? `${status}`;
}

/** Returns the error in a response. Fails if the body does not have the application's error format. */
function expectFormat(table: RouteTable, answer: TestResponse): ReadFailure {
  const { route } = table;
  const format = formatOf(table);
  if (!fitsFormat(format, answer.body)) {
    const expected =
      table.errorFormat === undefined
        ? "an error `{ error: { code, message, traceId } }`"
        : "an error in the format of the option `errors`";
    fail(`${route} answered with neither a declared response nor ${expected}`, answer);
  }
  if (format.body !== undefined) expectShape(`${route} (error body)`, format.body, answer.body, answer);
  return readFailure(format, answer.body);
}

/** Checks that a response has the given status, and the given error code of kit. */
export function expectError(
  table: RouteTable,
  answer: TestResponse,
  status: number,
  code: string,
): ReadFailure {
  const error = expectFormat(table, answer);
  const hasCode = formatOf(table).code === undefined || error.code === code;
  if (answer.status !== status || !hasCode) {
    const received = error.code === undefined ? answer.status : `${answer.status} ${error.code}`;
    fail(`${table.route} answered ${received}, expected ${status} ${code}`, answer);
  }
  return error;
}

/**
 * Checks that the response to an invalid request reports a failure at the given path and at no other path.
 *
 * @param within - True if the response may also report failures at paths below `path`.
 */
export function expectRefused(table: RouteTable, answer: TestResponse, path: string, within: boolean): void {
  if (replyOf(table, answer) !== undefined)
    fail(`${table.route} accepted a request with an invalid value at ${path}`, answer);
  const { validationStatus, fields: place } = formatOf(table);
  const { fields = [] } = expectError(table, answer, validationStatus, "VALIDATION_ERROR");
  // A format of the application may not say which values are invalid.
  if (place === undefined) return;
  const unruled = fields.find(({ rule }) => typeof rule !== "string");
  if (unruled !== undefined) {
    fail(`${table.route} refused the request, but the failure at ${unruled.path} names no rule`, answer);
  }
  const paths = fields.map((field) => field.path ?? "");
  const isNamed = (named: string): boolean =>
    named === path || (within && named.startsWith(path) && /^[.[]/.test(named.slice(path.length)));
  if (paths.length === 0 || !paths.every(isNamed)) {
    fail(
      `${table.route} refused the request, but reports failures at ${paths.join(", ") || "no path"} instead of ${path}`,
      answer,
    );
  }
}
