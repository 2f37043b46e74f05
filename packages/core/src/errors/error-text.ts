import type { ErrorBody, ErrorResponse } from "../error-middleware.ts";
import { messageForLog } from "../logging/database-error.ts";
import { toLoggable } from "../logging/loggable.ts";
import { compileRedactor } from "../logging/redact.ts";
import { describeWithoutStack } from "../thrown.ts";

/**
 * Returns true if a value is a valid result of an error middleware. The check is needed because users may wrap the
 * function.
 */
export function isErrorResponse(value: unknown): value is ErrorResponse {
  if (typeof value !== "object" || value === null) return false;
  const { status, body } = value as Partial<Record<keyof ErrorResponse, unknown>>;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
  return isStatus && typeof body === "object" && body !== null;
}

/** Code of the response to an error that is not for the client. */
export const internalError = "INTERNAL_SERVER_ERROR";

/** Returns the body of a 500 response without the error middleware, which may have failed itself. */
export function plainErrorText(traceId: string): string {
  return JSON.stringify({ error: { code: internalError, message: "Internal Server Error", traceId } });
}

/** Returns the message of an error as the log may show it. */
export function textForLog(error: unknown): string {
  return messageForLog(error, describeWithoutStack(error).message);
}

const nothingHidden = compileRedactor([]);

/**
 * Returns the JSON of an error body. The details belong to the application and may contain values without a JSON form
 * (a cycle, a bigint, a getter that throws). Each such value is replaced by a description, so that code and message
 * still reach the client.
 */
export function errorBodyText(body: object): string {
  try {
    const text: unknown = JSON.stringify(body);
    if (typeof text === "string") return text;
  } catch {
    // Handled below.
  }
  return JSON.stringify(toLoggable(body, nothingHidden));
}

/** Returns the code of an error body. Users may wrap the error middleware and return bodies of their own. */
export function codeOf(body: object): string {
  const { code } = ((body as Partial<ErrorBody>).error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
