/**
 * Text of error bodies without an error object. If nothing can see the error of a refused request, creating the error would cost more than
 * the rest of the refusal.
 *
 * @module
 */
import type { ValidationFailure } from "@kit/types";

import { describeInvalidSlot, type RequestSlot } from "../validation-error.ts";
import { validationCode } from "./failure-description.ts";

/** Error whose body differs only in the trace id. */
export interface PlainError {
  readonly status: number;
  /** Text of the body before the trace id. */
  readonly before: string;
}

/** Returns a plain error with this code and message. */
export function plainError(status: number, code: string, message: string): PlainError {
  const fields = `"code":${JSON.stringify(code)},"message":${JSON.stringify(message)}`;
  return { status, before: `{"error":{${fields},"traceId":"` };
}

/** Returns the body of a plain error. */
export function plainErrorBody(error: PlainError, traceId: string): string {
  return `${error.before}${traceId}"}}`;
}

/**
 * Returns the body of the error `VALIDATION_ERROR`, as the error middleware makes it.
 *
 * @throws If a failure has a value that JSON does not have.
 */
export function invalidBody(
  slot: RequestSlot,
  failures: readonly ValidationFailure[],
  traceId: string,
): string {
  const { message, details } = describeInvalidSlot(slot, failures);
  // One call writes the text in one piece. A text of many parts would have to be joined when it is sent, which takes longer.
  return JSON.stringify({ error: { code: validationCode, message, details, traceId } });
}
