import { STATUS_CODES } from "node:http";

import { AppError, errorFor } from "@kit/errors";

/** An error as Express, Fastify and Hono know them: with the status that it is to be answered with. */
interface HttpError extends Error {
  readonly status?: number;
  readonly statusCode?: number;
}

/** Whether an error says which status it stands for. */
function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && statusOf(error) !== undefined;
}

/**
 * What middleware of a framework threw, as an error that kit answers with: one that has a status keeps it. The message
 * of a failure of the server is not for clients.
 */
export function errorOfFramework(error: unknown): unknown {
  if (AppError.isAppError(error) || !isHttpError(error)) return error;
  const status = statusOf(error)!;
  const phrase = STATUS_CODES[status] ?? "Error";
  const code = phrase.toUpperCase().replaceAll(/[^A-Z]+/g, "_");
  return errorFor(status, code, status < 500 ? error.message : phrase, undefined, { cause: error });
}

function statusOf(error: Error): number | undefined {
  const { status, statusCode } = error as HttpError;
  return [status, statusCode].find((value) => Number.isInteger(value) && value! >= 400 && value! <= 599);
}
