/**
 * Text of error bodies without an error object. If nothing can see the error of a refused request, creating the error and its body as
 * objects would cost more than the rest of the refusal.
 *
 * @module
 */
import type { ValidationFailure } from "@kit/types";

import { writeString } from "../codec/write.ts";
import { describeInvalid, type RequestSlot } from "../validation-error.ts";
import { validationCode } from "./failure-description.ts";

/** Error whose body differs only in the trace id. */
export interface PlainError {
  readonly status: number;
  /** Text of the body before the trace id. */
  readonly before: string;
}

const afterTraceId = '"}}';

/** Returns a plain error with this code and message. */
export function plainError(status: number, code: string, message: string): PlainError {
  const fields = `"code":${JSON.stringify(code)},"message":${JSON.stringify(message)}`;
  return { status, before: `{"error":{${fields},"traceId":"` };
}

/** Returns the body of a plain error. */
export function plainErrorBody(error: PlainError, traceId: string): string {
  return error.before + traceId + afterTraceId;
}

/**
 * Returns the body of the error `VALIDATION_ERROR`: the text that `JSON.stringify` returns for the body that the error middleware makes.
 *
 * @throws If a failure has a value that JSON does not have.
 */
export function invalidBody(
  slot: RequestSlot,
  failures: readonly ValidationFailure[],
  traceId: string,
): string {
  let fields = "";
  for (const failure of failures) fields += fields === "" ? fieldText(failure) : `,${fieldText(failure)}`;
  const message = writeString(describeInvalid(slot, failures));
  return `{"error":{"code":"${validationCode}","message":${message},"details":{"fields":[${fields}]},"traceId":"${traceId}${afterTraceId}`;
}

function fieldText(failure: ValidationFailure): string {
  const { path, expected, value, rule, limit } = failure;
  const shown = value === undefined ? "" : `,"value":${valueText(value)}`;
  const bound = limit === undefined ? "" : `,"limit":${valueText(limit)}`;
  return `{"path":${writeString(path)},"expected":${writeString(expected)}${shown},"rule":${writeString(rule)}${bound}}`;
}

function valueText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
    case "object":
      return JSON.stringify(value);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}
