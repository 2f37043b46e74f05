/** The errors that the pipeline itself answers a request with. */
import { AppError, NotFoundError, ValidationError } from "@kit/errors";
import type { ValidationFailure, Validator } from "@kit/types";

import { count } from "../codec/words.ts";
import { type RequestSlot, RequestValidationError } from "./validation-error.ts";

/** No route has the path. */
export function notFound(): AppError {
  return withoutStack(() => new NotFoundError("NOT_FOUND", "Nothing is here"));
}

/** Routes have the path, none has the method. */
export function methodNotAllowed(method: string, allow: string): AppError {
  const message = `This path does not take ${method}; it takes ${allow}`;
  return withoutStack(() => new AppError("METHOD_NOT_ALLOWED", 405, message));
}

/** The path cannot be decoded. */
export function badPath(path: string): AppError {
  const expected = "a path with valid percent-escapes in UTF-8";
  const fields = [{ path: "$", expected, value: path, rule: "encoding", limit: "utf-8" }];
  const message = "The path has an invalid percent-escape";
  return withoutStack(() => new ValidationError("VALIDATION_ERROR", message, { fields }));
}

/** The body is larger than the limit. */
export function payloadTooLarge(limit: number): AppError {
  const message = `The body is larger than ${limit} bytes`;
  return withoutStack(() => new AppError("PAYLOAD_TOO_LARGE", 413, message, { limit }));
}

/** The body is of a kind that is not read. */
export function unsupportedMediaType(message: string): AppError {
  return withoutStack(() => new AppError("UNSUPPORTED_MEDIA_TYPE", 415, message));
}

/** The handler, or a middleware, did not come to its end in time. */
export function requestTimeout(limitMs: number): AppError {
  const message = `The request took longer than ${limitMs} ms`;
  return withoutStack(() => new AppError("REQUEST_TIMEOUT", 503, message));
}

/** The application closes, and the request was not answered in the time that was left for it. */
export function applicationCloses(): AppError {
  return withoutStack(() => new AppError("SERVICE_UNAVAILABLE", 503, "The server is closing"));
}

/** A slot does not fit its contract. */
export function invalidSlot(
  slot: RequestSlot,
  { name }: Pick<Validator<unknown>, "name">,
  failures: readonly ValidationFailure[],
): RequestValidationError {
  return withoutStack(() => new RequestValidationError(slot, name, failures));
}

/** A body on a method that has none, where the contract does not ask for one. */
export function undeclaredBody(method: string, bytes: number): RequestValidationError {
  return invalidSlot("body", { name: "void" }, [
    {
      path: "$",
      expected: "no body",
      received: `a body of ${count(bytes, "byte")}`,
      rule: "unknown",
      suggestion: `Send ${method} without a body`,
    },
  ]);
}

/** Whether the limit can be set: it cannot where the program froze the language's own objects. */
const isLimitWritable = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")?.writable === true;

/**
 * A stack would show only the pipeline, and it is most of what an error costs, which whoever sends bad requests would have
 * the server pay.
 */
function withoutStack<TError extends Error>(make: () => TError): TError {
  if (!isLimitWritable) return make();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
