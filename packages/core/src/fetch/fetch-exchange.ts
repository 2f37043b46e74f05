import { isUtf8 } from "node:buffer";

import type { ResponseBody, ResponseStreamEvents, ResponseWriter, ServerExchange } from "@kit/types";

import { normalTarget } from "../router/normal-path.ts";
import type { FetchBody } from "./read-body.ts";
import { FetchResponseWriter } from "./response-stream.ts";

const empty = new Uint8Array(0);

/** Statuses of responses that cannot have a body. `Response` throws an error if such a response gets a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Request and response of the Fetch standard, as the pipeline sees them. */
export class FetchExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly hadTrailingSlash: boolean;
  readonly bodyTooLarge: boolean;
  readonly bodyLength: number;
  /** Empty, because a `Request` does not contain the address of its sender. */
  readonly remoteAddress = "";
  /** Resolves to the response. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #url: URL;
  readonly #body: Uint8Array;
  /** Resolves when the body of the response is complete or has failed. */
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #resolve: (response: Response) => void;
  #isAnswered = false;

  constructor(request: Request, body: FetchBody) {
    const url = new URL(request.url);
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { pathname, search } = url;
    this.hadTrailingSlash = pathname.length > 1 && pathname.endsWith("/");
    this.method = request.method;
    this.target = normalTarget((this.hadTrailingSlash ? pathname.slice(0, -1) : pathname) + search);
    this.bodyTooLarge = body === "too large";
    this.#body = body === "too large" ? empty : body;
    this.bodyLength = this.#body.length;
    this.response = promise;
    this.#resolve = resolve;
    const end = Promise.withResolvers<void>();
    this.ended = end.promise;
    this.#end = end.resolve;
    this.#request = request;
    this.#url = url;
  }

  bodyText(): string | undefined {
    const bytes = this.#body;
    return isUtf8(bytes)
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")
      : undefined;
  }

  bodyBytes(): Uint8Array {
    return this.#body;
  }

  get scheme(): "http" | "https" {
    return this.#url.protocol === "https:" ? "https" : "http";
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Many programs create a `Request` from a URL only. HTTP/1.1 would send this header.
    return name === "host" ? this.#url.host : undefined;
  }

  headers(): Record<string, string> {
    // The object has no prototype, because clients choose the names of its properties.
    const headers = Object.create(null) as Record<string, string>;
    headers["host"] = this.#url.host;
    for (const [name, value] of this.#request.headers) headers[name] = value;
    return headers;
  }

  onAbort(listener: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) {
      listener();
      return;
    }
    signal.addEventListener("abort", () => !this.#isAnswered && listener(), { once: true });
  }

  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const length = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const head = headOf(contentType, headers);
    if (status !== 204 && status !== 304) head.set("content-length", `${length}`);
    const hasBody = body !== null && this.method !== "HEAD" && !withoutBody.has(status);
    // The bytes belong to the handler, which may change them afterwards.
    const sent = !hasBody ? null : typeof body === "string" ? body : new Uint8Array(body);
    const response = new Response(sent, { status, headers: head });
    this.#answer(response);
    this.#end();
  }

  respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    const head = headOf(contentType, headers);
    if (length !== null) head.set("content-length", `${length}`);
    const writer = new FetchResponseWriter(events, this.#end);
    const response = new Response(this.method === "HEAD" ? null : writer.body, { status, headers: head });
    this.#answer(response);
    const { signal } = this.#request;
    if (signal.aborted) writer.abort();
    else signal.addEventListener("abort", () => writer.abort(), { once: true });
    return writer;
  }

  #answer(response: Response): void {
    if (this.#isAnswered) throw new Error("A response to this request was already sent");
    this.#isAnswered = true;
    this.#resolve(response);
  }
}

function headOf(contentType: string | null, own: readonly string[] | null): Headers {
  const head = new Headers();
  // Every server of kit sends this header unless the handler has set it.
  head.set("x-content-type-options", "nosniff");
  const seen = new Set<string>();
  const headers = own ?? [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (seen.has(name)) head.append(name, headers[index + 1]!);
    else head.set(name, headers[index + 1]!);
    seen.add(name);
  }
  if (contentType !== null) head.set("content-type", contentType);
  return head;
}
