import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

import type { ServerService } from "@kit/types";

import { bodyLimitOf, isStreamed } from "./body-limit.ts";
import { StreamReader } from "./body-reader.ts";
import { readBody, RequestBody } from "./request-body.ts";

/** Request whose body middleware may have read and parsed before kit sees it. */
export interface ParsedRequest extends IncomingMessage {
  /** Value that a body parser, such as `express.json()`, has made from the body. */
  readonly body?: unknown;
  /** Bytes that a parser has read. Many applications store them in this property. */
  readonly rawBody?: unknown;
}

/**
 * Receives the body of a request as its route requires: the whole body, or a body in chunks. Calls `done` as
 * {@link readRequestBody} does. `target` is the path and query as the client sent them.
 *
 * @example
 * ```ts
 * receiveBody(service, request, request.originalUrl, (body) => {
 *   if (body !== undefined) service.handle(new ResponseExchange(request, response, request.originalUrl, body));
 * });
 * ```
 */
export function receiveBody(
  service: ServerService,
  request: ParsedRequest,
  target: string,
  done: (body: RequestBody | undefined) => void,
): void {
  const limit = bodyLimitOf(service, request, target);
  if (!isStreamed(service, request, target)) readRequestBody(request, limit, done);
  else if (!hasBody(request) || request.readableDidRead) {
    readRequestBody(request, limit, (body) => done(body?.asChunks()));
  } else if (request.destroyed) done(undefined);
  else done(openRequestBody(request, request, limit));
}

/**
 * Returns the body of a request to a route whose bodies arrive in chunks, as soon as the head of the request is read.
 * `source` is the request, or a stream that a framework has made from its body.
 *
 * @example
 * ```ts
 * const exchange = new ResponseExchange(request, response, request.url!, openRequestBody(request, request, limit));
 * ```
 */
export function openRequestBody(source: Readable, request: IncomingMessage, limit: number): RequestBody {
  const { "content-length": declared } = request.headers;
  if (Number(declared) > limit) return RequestBody.tooLarge;
  const length = declared === undefined ? -1 : Number(declared);
  return RequestBody.inChunks(new StreamReader(source, request, limit), length);
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": declared, "transfer-encoding": coding } = headers;
  return coding !== undefined || (declared !== undefined && declared !== "0");
}

/**
 * Reads the body of a request. Uses the bytes if they are available, from the connection or from `rawBody`.
 * If they are not, encodes the value of the body parser as JSON or as a form again. Calls `done` once. The call is
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
  if (!hasBody(request)) {
    done(RequestBody.empty);
    return;
  }
  // Check the declared length first, even if middleware has already read the body.
  if (Number(request.headers["content-length"]) > limit) done(RequestBody.tooLarge);
  else if (request.readableDidRead) done(readBefore(request, limit));
  else readBody(request, limit, done);
}

const formType = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
const multipartType = /^\s*multipart\//i;

function readBefore({ body, rawBody, headers }: ParsedRequest, limit: number): RequestBody {
  for (const content of [rawBody, body]) {
    if (content instanceof Uint8Array) return RequestBody.ofBytes(content, limit);
    if (typeof content === "string") return RequestBody.ofText(content, limit);
  }
  if (body === undefined) return RequestBody.unavailable(lostBody("`request.body` is empty"));
  const { "content-type": type = "" } = headers;
  if (multipartType.test(type)) {
    const why = "`request.body` has at most the fields of a multipart body, without its files";
    return RequestBody.unavailable(lostBody(why));
  }
  const [encode, form] = formType.test(type) ? [formOf, "form"] : [jsonOf, "JSON form"];
  try {
    const text = encode(body);
    if (text !== undefined) return RequestBody.ofText(text, limit);
  } catch (error) {
    return RequestBody.unavailable(lostBody(`the value of \`request.body\` has no ${form}`, error));
  }
  return RequestBody.unavailable(lostBody(`the value of \`request.body\` has no ${form}`));
}

function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value);
}

/** Returns the text of a form whose fields a parser has read. A parser of nested fields has read `a[b]=1` as `{ a: { b: "1" } }`. */
function formOf(fields: unknown): string | undefined {
  if (typeof fields !== "object" || fields === null) return undefined;
  const form = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (typeof value !== "object") form.append(name, String(value));
    else if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
      for (const item of value) add(name, item);
    else for (const [key, part] of Object.entries(value)) add(`${name}[${key}]`, part);
  };
  for (const [name, value] of Object.entries(fields)) add(name, value);
  return form.toString();
}

function lostBody(why: string, cause?: unknown): Error {
  const message = `The request's body was read before kit saw the request, and ${why}; remove the middleware that reads the body from kit's routes, or store the bytes in \`request.rawBody\``;
  return new Error(message, cause === undefined ? undefined : { cause });
}
