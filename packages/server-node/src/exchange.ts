import type { IncomingMessage, ServerResponse } from "node:http";

import type { ResponseBody, ServerExchange } from "@kit/types";

import { checkAnswer, codedError } from "./answer.ts";
import { onHalfClose } from "./half-closed.ts";
import { closeAfter } from "./linger.ts";
import { lostFinalSlash } from "./passage.ts";
import { RequestBody } from "./request-body.ts";

/**
 * One request of a server on node:http, whose body was read. How the answer is written is for those who extend it: a
 * framework's own hooks may want to see it.
 */
export abstract class NodeExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly bodyTooLarge: boolean;
  readonly bodyLength: number;
  protected readonly request: IncomingMessage;
  protected readonly response: ServerResponse;
  readonly #body: RequestBody;
  #answered = false;

  /** `target` is the path and query as they came: frameworks change `request.url`. */
  constructor(request: IncomingMessage, response: ServerResponse, target: string, body: RequestBody) {
    this.method = request.method!;
    this.target = target;
    this.bodyTooLarge = body === RequestBody.tooLarge;
    this.bodyLength = body.length;
    this.request = request;
    this.response = response;
    this.#body = body;
  }

  get lostFinalSlash(): boolean {
    return lostFinalSlash(this.request);
  }

  get remoteAddress(): string {
    return this.request.socket.remoteAddress ?? "";
  }

  bodyText(): string | undefined {
    return this.#body.text();
  }

  bodyBytes(): Uint8Array {
    return this.#body.bytes();
  }

  header(name: string): string | undefined {
    // The object has a prototype, and a client chooses the name where a program passes it on.
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
      // As Node joins them in `header`.
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
    // A client that closes its sending side looks like one that has left, and is answered all the same.
    let isTold = false;
    const tell = (): void => {
      if (this.#answered || isTold) return;
      isTold = true;
      listener();
    };
    const forget = onHalfClose(this.request.socket, tell);
    this.response.once("close", () => {
      forget();
      tell();
    });
  }

  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    if (this.#answered) throw codedError("ERR_KIT_ANSWERED", "The request is already answered");
    checkAnswer(status, contentType, body, headers);
    if (this.bodyTooLarge) closeAfter(this.response);
    this.write(status, contentType, body, headers);
    this.#answered = true;
  }

  /** Checks the head of an answer that comes piece by piece, as `respond` does, and notes that there is one. */
  protected beginStream(status: number, contentType: string | null, headers: readonly string[] | null): void {
    if (this.#answered) throw codedError("ERR_KIT_ANSWERED", "The request is already answered");
    checkAnswer(status, contentType, null, headers);
    if (this.bodyTooLarge) closeAfter(this.response);
    this.#answered = true;
  }

  /** Writes an answer that was checked. An answer to HEAD comes with its body, which is counted and left out. */
  protected abstract write(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void;
}
