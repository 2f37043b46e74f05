import type { ServerResponse } from "node:http";

import type { ResponseBody, ResponseStreamEvents, ResponseWriter } from "@kit/types";

import { NodeExchange } from "./exchange.ts";
import { noSniff, noSniffName } from "./no-sniff.ts";
import { abortedWriter, NodeResponseWriter } from "./response-writer.ts";

/**
 * Exchange that writes its response to Node's `ServerResponse`.
 *
 * @example
 * ```ts
 * function serve(request: IncomingMessage, response: ServerResponse, service: ServerService): void {
 *   readRequestBody(request, service.limits.bodyBytes, (body) => {
 *     if (body !== undefined) service.handle(new ResponseExchange(request, response, request.url!, body));
 *   });
 * }
 * ```
 */
export class ResponseExchange extends NodeExchange {
  // Sets each header separately and does not call `writeHead`. Middleware for compression, sessions or logs replaces these methods of the
  // response, and headers that it has already set stay.
  protected override write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const { response } = this;
    // The client has disconnected, so there is nothing to write to.
    if (response.destroyed) return;
    setHead(response, status, contentType, headers);
    const length = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    if (status !== 204 && status !== 304) response.setHeader("content-length", length);
    if (body === null || this.method === "HEAD") response.end();
    else response.end(body);
  }

  respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    const { response } = this;
    if (!this.beginStream(status, contentType, headers)) return abortedWriter(events);
    if (!response.destroyed) {
      setHead(response, status, contentType, headers);
      if (length === null) response.removeHeader("content-length");
      else response.setHeader("content-length", length);
    }
    return new NodeResponseWriter(response, events);
  }
}

function setHead(
  response: ServerResponse,
  status: number,
  contentType: string | null,
  headers: readonly string[] | null,
): void {
  response.statusCode = status;
  if (headers !== null) setHeaders(response, headers);
  if (!response.hasHeader(noSniffName)) response.setHeader(noSniffName, noSniff);
  if (contentType === null) response.removeHeader("content-type");
  else response.setHeader("content-type", contentType);
}

function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  const seen = new Set<string>(["set-cookie"]);
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    // The first value of a header replaces the value that the framework's middleware has set. Cookies are added to existing ones.
    if (seen.has(name)) response.appendHeader(name, headers[index + 1]!);
    else response.setHeader(name, headers[index + 1]!);
    seen.add(name);
  }
}
