import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";

import type { RequestBodyReader, ResponseBody, ServerExchange } from "@kit/types";

import { checkResponse, codedError } from "./response-check.ts";
import { onHalfClose } from "./half-closed.ts";
import { closeAfter } from "./discard.ts";
import { hadTrailingSlash } from "./destination.ts";
import { RequestBody } from "./request-body.ts";
import { noteLogged } from "./answer-log.ts";
import { isRuled } from "./response-rules.ts";
import { acceptorOf } from "./web-sockets.ts";

/**
 * One request of a server on node:http whose body has been read. Subclasses define how the response is written, because a framework may run
 * its own hooks on the response.
 *
 * @example
 * ```ts
 * class PlainExchange extends NodeExchange {
 *   protected override write(
 *     status: number,
 *     contentType: string | null,
 *     body: ResponseBody,
 *     headers: readonly string[] | null,
 *   ): void {
 *     const { response } = this;
 *     response.statusCode = status;
 *     for (const [name, value] of Object.entries(headerRecord(headers ?? []))) response.setHeader(name, value);
 *     if (contentType !== null) response.setHeader("content-type", contentType);
 *     if (body !== null) response.setHeader("content-length", Buffer.byteLength(body));
 *     response.end(this.method === "HEAD" ? null : body);
 *   }
 * }
 * ```
 */
export abstract class NodeExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly bodyTooLarge: boolean;
  readonly bodyLength: number;
  declare readonly readBody?: () => RequestBodyReader;
  declare readonly acceptSocket?: NonNullable<ServerExchange["acceptSocket"]>;
  protected readonly request: IncomingMessage;
  protected readonly response: ServerResponse;
  readonly #body: RequestBody;
  #answered = false;

  /**
   * `target` is the path and query as the client sent them. The target is a separate parameter, because frameworks change
   * `request.url`.
   */
  constructor(request: IncomingMessage, response: ServerResponse, target: string, body: RequestBody) {
    this.method = request.method!;
    this.target = target;
    this.bodyTooLarge = body === RequestBody.tooLarge;
    this.bodyLength = body.length;
    this.request = request;
    this.response = response;
    this.#body = body;
    const { reader } = body;
    if (reader !== undefined) this.readBody = () => reader;
    const accept = acceptorOf(request, response);
    if (accept !== undefined) {
      this.acceptSocket = (options, events) => {
        if (this.#answered)
          throw codedError("ERR_KIT_ANSWERED", "A response to this request was already sent");
        const socket = accept(options, events);
        this.#answered = true;
        this.leaveResponse();
        return socket;
      };
    }
  }

  get scheme(): "http" | "https" {
    return "encrypted" in this.request.socket ? "https" : "http";
  }

  get hadTrailingSlash(): boolean {
    return hadTrailingSlash(this.request);
  }

  noteLogged(): void {
    noteLogged(this.response);
  }

  get hasResponseRules(): boolean {
    return isRuled(this.response);
  }

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? "";
  }

  clientCertificate(): Uint8Array | undefined {
    const socket = this.request.socket as Partial<TLSSocket>;
    // True only if an authority of `tls.clientCa` has signed a certificate.
    return socket.authorized === true ? socket.getPeerX509Certificate?.()?.raw : undefined;
  }

  bodyText(): string | undefined {
    return this.#body.text();
  }

  bodyBytes(): Uint8Array {
    return this.#body.bytes();
  }

  header(name: string): string | undefined {
    // The object has a prototype: if a program passes the name `constructor` on from a client, the value is a function and not a header.
    const value: unknown = this.request.headers[name];
    if (typeof value === "string") return value;
    return Array.isArray(value) ? value.join(", ") : undefined;
  }

  headers(): Record<string, string> {
    const { rawHeaders } = this.request;
    const headers = Object.create(null) as Record<string, string>;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]!.toLowerCase();
      const value = rawHeaders[index + 1]!;
      const present = headers[name];
      // Join repeated headers as Node does for `header`.
      headers[name] = present === undefined ? value : `${present}${name === "cookie" ? "; " : ", "}${value}`;
    }
    return headers;
  }

  onAbort(listener: () => void): void {
    if (this.#answered) return;
    if (this.response.destroyed) {
      listener();
      return;
    }
    // A client that closes only its sending side cannot be told from a client that has disconnected. The listener is called for both, and
    // the response is written for both.
    let isNotified = false;
    const notify = (): void => {
      if (this.#answered || isNotified) return;
      isNotified = true;
      listener();
    };
    const forget = onHalfClose(this.request.socket, notify);
    this.response.once("close", () => {
      forget();
      notify();
    });
  }

  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    if (this.#answered) throw codedError("ERR_KIT_ANSWERED", "A response to this request was already sent");
    checkResponse(status, contentType, body, headers);
    if (this.bodyTooLarge) closeAfter(this.response);
    const { reader } = this.#body;
    if (reader !== undefined) {
      if (!reader.isReceived) closeAfter(this.response);
      reader.finish();
    }
    if (reader?.isRefused !== true) this.write(status, contentType, body, headers);
    this.#answered = true;
  }

  /**
   * Checks the status and headers of a streamed response, like `respond` does, and makes a second response to the request an error. Returns
   * false if the server has already refused the request, so that the response must not be written.
   */
  protected beginStream(
    status: number,
    contentType: string | null,
    headers: readonly string[] | null,
  ): boolean {
    if (this.#answered) throw codedError("ERR_KIT_ANSWERED", "A response to this request was already sent");
    checkResponse(status, contentType, null, headers);
    if (this.bodyTooLarge) closeAfter(this.response);
    this.#answered = true;
    const { reader } = this.#body;
    if (reader === undefined) return true;
    if (reader.isRefused) return false;
    // The body may be read during the response. The head must already tell if the connection closes.
    if (!reader.isReceived) closeAfter(this.response);
    this.response.once("close", () => reader.finish());
    return true;
  }

  /** Tells a framework that the connection has become a WebSocket, so that the framework writes no response. */
  protected leaveResponse(): void {}

  /**
   * Writes a response that has been checked. For HEAD, `body` is the body that GET would get: implementations send its length and not its
   * bytes.
   */
  protected abstract write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void;
}
