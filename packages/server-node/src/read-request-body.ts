import type { IncomingMessage } from "node:http";

import { readBody, RequestBody } from "./request-body.ts";

/** Request whose body middleware may have read and parsed before kit sees it. */
export interface ParsedRequest extends IncomingMessage {
  /** Value that a body parser, such as `express.json()`, has made from the body. */
  readonly body?: unknown;
  /** Bytes that a parser has read. Many applications store them in this property. */
  readonly rawBody?: unknown;
}

/**
 * Reads the body of a request. Uses the bytes if they are available, from the connection or from `rawBody`.
 * If they are not, encodes the value of the body parser as JSON again. Calls `done` once. The call is
 * synchronous if all data is already available.
 *
 * @example
 * ```ts
 * readRequestBody(request, bodyLimitOf(service, request), (body) => {
 *   if (body !== undefined) service.handle(new ResponseExchange(request, response, request.url!, body));
 * });
 * ```
 */
export function readRequestBody(
  request: ParsedRequest,
  limit: number,
  done: (body: RequestBody | undefined) => void,
): void {
  const { "content-length": declared, "transfer-encoding": coding } = request.headers;
  if (coding === undefined && (declared === undefined || declared === "0")) {
    done(RequestBody.empty);
    return;
  }
  // Check the declared length first, even if middleware has already read the body.
  if (Number(declared) > limit) done(RequestBody.tooLarge);
  else if (request.readableDidRead) done(readBefore(request, limit));
  else readBody(request, limit, done);
}

function readBefore({ body, rawBody }: ParsedRequest, limit: number): RequestBody {
  for (const content of [rawBody, body]) {
    if (content instanceof Uint8Array) return RequestBody.ofBytes(content, limit);
    if (typeof content === "string") return RequestBody.ofText(content, limit);
  }
  if (body === undefined) return RequestBody.unavailable(lostBody("`request.body` is empty"));
  try {
    const text = JSON.stringify(body) as string | undefined;
    if (text !== undefined) return RequestBody.ofText(text, limit);
  } catch (error) {
    return RequestBody.unavailable(lostBody("the value of `request.body` has no JSON form", error));
  }
  return RequestBody.unavailable(lostBody("the value of `request.body` has no JSON form"));
}

function lostBody(why: string, cause?: unknown): Error {
  const message = `The request's body was read before kit saw the request, and ${why}; remove the middleware that reads the body from kit's routes, or store the bytes in \`request.rawBody\``;
  return new Error(message, cause === undefined ? undefined : { cause });
}
