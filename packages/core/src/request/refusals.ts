/** Errors with which the pipeline itself refuses requests. */
import { AppError, NotFoundError, ValidationError } from "@kit/errors";
import type { ValidationFailure, Validator } from "@kit/types";

import { count } from "../codec/describe.ts";
import { type PlainError, plainError } from "../errors/plain-error.ts";
import { withoutStack } from "../errors/without-stack.ts";
import { type RequestSlot, RequestValidationError } from "../validation-error.ts";

const rangeCode = "RANGE_NOT_SATISFIABLE";

const noRoute = "No route matches this path";

/** Error for a path that no route matches. */
export function notFound(): AppError {
  return withoutStack(() => new NotFoundError("NOT_FOUND", noRoute));
}

/** {@link notFound} without an error object. */
export const plainNotFound: PlainError = plainError(404, "NOT_FOUND", noRoute);

/** Error for a path that has routes, but none with the method of the request. */
export function methodNotAllowed(method: string, allow: string): AppError {
  const message = `This path does not support ${method}. It supports ${allow}`;
  return withoutStack(() => new AppError("METHOD_NOT_ALLOWED", 405, message));
}

/** Error for a path that cannot be decoded. */
export function badPath(path: string): AppError {
  const expected = "a path with valid percent-escapes in UTF-8";
  const fields = [{ path: "$", expected, value: path, rule: "encoding", limit: "utf-8" }];
  const message = "The path has an invalid percent-escape";
  return withoutStack(() => new ValidationError("VALIDATION_ERROR", message, { fields }));
}

/** Error for a body that is larger than the limit. */
export function payloadTooLarge(limit: number): AppError {
  const message = `The body is larger than ${limit} bytes`;
  return withoutStack(() => new AppError("PAYLOAD_TOO_LARGE", 413, message, { limit }));
}

/** Error for fields and files that are too large to wait in memory for the upload after them. */
export function partsTooLarge(limit: number): AppError {
  const message = `The parts before the upload are larger than ${limit} bytes`;
  return withoutStack(() => new AppError("PAYLOAD_TOO_LARGE", 413, message, { limit }));
}

/** Error for a body that the client did not send completely. The response does not reach most such clients. */
export function bodyIncomplete(): AppError {
  return withoutStack(() => new AppError("BAD_REQUEST", 400, "The body of the request is incomplete"));
}

/** Error for a body of which the client has stopped sending. */
export function bodyTimeout(): AppError {
  return withoutStack(
    () => new AppError("REQUEST_TIMEOUT", 408, "The body of the request was not received in time"),
  );
}

/** Error for a request that a web page of another site has sent. */
export function crossSiteRequest(): AppError {
  const message = "The request comes from a web page of an origin that may not send such requests";
  return withoutStack(() => new AppError("CROSS_SITE_REQUEST", 403, message));
}

/** Error for a request whose precondition, such as `if-match`, does not hold. */
export function preconditionFailed(): AppError {
  const message = "The resource has changed, or is not in the state that the request requires";
  return withoutStack(() => new AppError("PRECONDITION_FAILED", 412, message));
}

/** Error for ranges that a file with `size` bytes does not contain. */
export function rangeNotSatisfiable(size: number): AppError {
  const message = `The file has ${count(size, "byte")}, and none of the requested ranges`;
  return withoutStack(() => new AppError(rangeCode, 416, message, { size }));
}

/** Returns the header `content-range` for an error of {@link rangeNotSatisfiable}, otherwise `undefined`. */
export function contentRangeOf(error: unknown): string | undefined {
  if (!AppError.isAppError(error) || error.code !== rangeCode) return undefined;
  return `bytes */${(error.details as { size: number }).size}`;
}

/** Error for a body with an unsupported media type or encoding. */
export function unsupportedMediaType(message: string): AppError {
  return withoutStack(() => new AppError("UNSUPPORTED_MEDIA_TYPE", 415, message));
}

/** Error for a request that accepts none of the media types of a response. */
export function notAcceptable(mediaTypes: readonly string[]): AppError {
  const message = `The request accepts none of the media types of the response: ${mediaTypes.join(", ")}`;
  return withoutStack(() => new AppError("NOT_ACCEPTABLE", 406, message, { mediaTypes }));
}

/** Error for a request whose handler or middleware exceeded the timeout. */
export function requestTimeout(limitMs: number): AppError {
  const message = `The request took longer than ${limitMs} ms`;
  return withoutStack(() => new AppError("REQUEST_TIMEOUT", 503, message));
}

/** Error for a request that has no response at the end of the grace period of a shutdown. */
export function applicationCloses(): AppError {
  return withoutStack(() => new AppError("SERVICE_UNAVAILABLE", 503, "The server is closing"));
}

/** Error for a request with a slot that breaks the contract. */
export function invalidSlot(
  slot: RequestSlot,
  { name }: Pick<Validator<unknown>, "name">,
  failures: readonly ValidationFailure[],
): RequestValidationError {
  return withoutStack(() => new RequestValidationError(slot, name, failures));
}

/** Error for a GET or HEAD request with a body. */
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
