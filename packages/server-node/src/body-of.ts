import type { IncomingMessage } from "node:http";

import { readBody, RequestBody } from "./request-body.ts";

/** A request that middleware may have read and parsed before kit sees it. */
export interface ParsedRequest extends IncomingMessage {
  /** What a body parser made of the body. */
  readonly body?: unknown;
  /** Where many applications keep the bytes that a parser has read. */
  readonly rawBody?: unknown;
}

/**
 * The body of a request. Its bytes where they are still to be had: in the stream, or in `rawBody`; else the text that what was
 * parsed gives when it is written as JSON again. Calls back once, at once where there is nothing to wait for.
 */
export function bodyOf(
  request: ParsedRequest,
  limit: number,
  done: (body: RequestBody | undefined) => void,
): void {
  const { "content-length": declared, "transfer-encoding": coding } = request.headers;
  if (coding === undefined && (declared === undefined || declared === "0")) {
    done(RequestBody.none);
    return;
  }
  // Before anything is read, and whoever has read it.
  if (Number(declared) > limit) done(RequestBody.tooLarge);
  else if (request.readableDidRead) done(readBefore(request, limit));
  else readBody(request, limit, done);
}

function readBefore({ body, rawBody }: ParsedRequest, limit: number): RequestBody {
  for (const content of [rawBody, body]) {
    if (content instanceof Uint8Array) return RequestBody.ofBytes(content, limit);
    if (typeof content === "string") return RequestBody.ofText(content, limit);
  }
  if (body === undefined) return RequestBody.lost(lostBody("nothing was left of it in `request.body`"));
  try {
    const text = JSON.stringify(body) as string | undefined;
    if (text !== undefined) return RequestBody.ofText(text, limit);
  } catch (error) {
    return RequestBody.lost(lostBody("what is in `request.body` has no JSON form", error));
  }
  return RequestBody.lost(lostBody("what is in `request.body` has no JSON form"));
}

function lostBody(why: string, cause?: unknown): Error {
  const message = `The request's body was read before kit saw the request, and ${why}; let kit's routes be without that middleware, or let it keep the bytes in \`request.rawBody\``;
  return new Error(message, cause === undefined ? undefined : { cause });
}
