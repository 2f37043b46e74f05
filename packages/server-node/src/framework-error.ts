import { AppError, errorFor } from "@kit/errors";

import { http } from "./http-module.ts";

/** Error of Express, Fastify or Hono with the status of the response that it asks for. */
interface HttpError extends Error {
  readonly status?: number;
  readonly statusCode?: number;
}

/** Returns true if the error has a valid status of an error response. */
function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && statusOf(error) !== undefined;
}

/**
 * Converts an error that a framework's middleware threw to an error for kit's response. An error with a
 * status keeps the status. The message of a server error (5xx) is replaced, because it is not for clients.
 *
 * @example
 * ```ts
 * const error = Object.assign(new Error("Wait a minute"), { status: 429 });
 * errorOfFramework(error); // AppError with the code TOO_MANY_REQUESTS, the same status and the same message
 * ```
 */
export function errorOfFramework(error: unknown): unknown {
  if (AppError.isAppError(error) || !isHttpError(error)) return error;
  const status = statusOf(error)!;
  const phrase = http.STATUS_CODES[status] ?? "Error";
  const code = phrase.toUpperCase().replaceAll(/[^A-Z]+/g, "_");
  return errorFor(status, code, status < 500 ? error.message : phrase, undefined, { cause: error });
}

function statusOf(error: Error): number | undefined {
  const { status, statusCode } = error as HttpError;
  return [status, statusCode].find((value) => Number.isInteger(value) && value! >= 400 && value! <= 599);
}
