import type { ErrorAnswer, ErrorBody } from "../error-middleware.ts";
import { toLoggable } from "../logging/loggable.ts";
import { compileRedactor } from "../logging/redact.ts";

/** Whether a value is what an error middleware must return; users may wrap it. */
export function isErrorAnswer(value: unknown): value is ErrorAnswer {
  if (typeof value !== "object" || value === null) return false;
  const { status, body } = value as Partial<Record<keyof ErrorAnswer, unknown>>;
  const isStatus = typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
  return isStatus && typeof body === "object" && body !== null;
}

const nothingHidden = compileRedactor([]);

/**
 * JSON of an error body. Details are the application's and may hold what JSON cannot say (a cycle, a bigint, a getter that
 * throws): then each such value is replaced by words, so that code and message reach the client all the same.
 */
export function errorBodyText(body: ErrorBody): string {
  try {
    const text: unknown = JSON.stringify(body);
    if (typeof text === "string") return text;
  } catch {
    // Below.
  }
  return JSON.stringify(toLoggable(body, nothingHidden));
}
