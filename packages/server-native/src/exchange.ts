import type {
  ResponseBody,
  ResponseStreamEvents,
  ResponseWriter,
  RouteMatch,
  ServerExchange,
} from "@kit/types";

import type { Addon, ContentTypeCode, RequestId } from "./addon.ts";
import { type OpenStreams, ResponseStream } from "./response-stream.ts";

/** Layout of `traits`, a number that the addon passes with every request: the index of the method in `methods`, and two flag bits. */
const methodBits = 0xf;
const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const bodyTooLargeBit = 1 << 4;
const traceparentBit = 1 << 5;

const jsonType = "application/json";

/** State that the exchanges of one server share. */
export interface ExchangeHost {
  readonly addon: Addon;
  readonly server: number;
  /** Exchanges with listeners for the disconnect of their client. */
  readonly listening: Map<RequestId, NativeExchange>;
  /** Requests whose client has disconnected and whose response is not sent yet. */
  readonly aborted: Set<RequestId>;
  /** Responses that are being streamed. */
  readonly streams: OpenStreams;
}

/**
 * One request of the native server. Data that nearly every request needs is passed to the constructor. Other data is read from the addon on
 * demand, which works until the response is sent.
 */
export class NativeExchange implements ServerExchange {
  readonly target: string;
  readonly match: RouteMatch;
  readonly bodyLength: number;
  private readonly host: ExchangeHost;
  private readonly id: RequestId;
  private readonly traits: number;
  private readonly body: string | undefined;
  private abortListeners: (() => void)[] | undefined;

  constructor(
    host: ExchangeHost,
    id: RequestId,
    match: RouteMatch,
    traits: number,
    target: string,
    bodyLength: number,
    body: string | undefined,
  ) {
    this.host = host;
    this.id = id;
    this.match = match;
    this.traits = traits;
    this.target = target;
    this.bodyLength = bodyLength;
    this.body = body;
    this.abortListeners = undefined;
  }

  get method(): string {
    return methods[this.traits & methodBits] ?? this.host.addon.method(this.host.server, this.id);
  }

  get bodyTooLarge(): boolean {
    return (this.traits & bodyTooLargeBit) !== 0;
  }

  get remoteAddress(): string {
    return this.host.addon.remoteAddress(this.host.server, this.id);
  }

  bodyText(): string | undefined {
    if (this.body !== undefined) return this.body;
    if (this.bodyLength === 0) return "";
    return this.host.addon.bodyText(this.host.server, this.id);
  }

  bodyBytes(): Uint8Array {
    return this.host.addon.bodyBytes(this.host.server, this.id);
  }

  header(name: string): string | undefined {
    // The pipeline reads these two headers often, and their values are known from the constructor's arguments.
    if (name === "traceparent" && (this.traits & traceparentBit) === 0) return undefined;
    if (name === "content-type" && this.body !== undefined) return jsonType;
    return this.host.addon.header(this.host.server, this.id, name);
  }

  headers(): Record<string, string> {
    const list = this.host.addon.headers(this.host.server, this.id);
    // Without a prototype, because clients choose the names.
    const headers = Object.create(null) as Record<string, string>;
    for (let index = 0; index < list.length; index += 2) headers[list[index]!] = list[index + 1]!;
    return headers;
  }

  onAbort(listener: () => void): void {
    if (this.host.aborted.has(this.id)) {
      listener();
      return;
    }
    if (this.abortListeners === undefined) {
      this.abortListeners = [];
      this.host.listening.set(this.id, this);
    }
    this.abortListeners.push(listener);
  }

  respond(
    status: number,
    contentType: string | null,
    body: ResponseBody,
    headers: readonly string[] | null,
  ): void {
    const { addon, server } = this.host;
    addon.respond(server, this.id, status, typeCode(contentType), body, headers);
    this.forget();
  }

  respondStream(
    status: number,
    contentType: string | null,
    length: number | null,
    headers: readonly string[] | null,
    events: ResponseStreamEvents,
  ): ResponseWriter {
    const { addon, server, streams } = this.host;
    const { id } = this;
    const isThere = addon.respondStream(server, id, status, typeCode(contentType), length, headers) === 1;
    this.forget();
    const stream = new ResponseStream(addon, server, id, events, streams);
    // Call `abort` only after the caller has the writer.
    if (!isThere) queueMicrotask(() => stream.abort());
    return stream;
  }

  /** Stops reporting events of a request whose response is sent. */
  private forget(): void {
    const { listening, aborted } = this.host;
    if (this.abortListeners !== undefined) listening.delete(this.id);
    if (aborted.size > 0) aborted.delete(this.id);
  }

  /** Calls the listeners after the client has disconnected. */
  abort(): void {
    const listeners = this.abortListeners ?? [];
    this.abortListeners = undefined;
    for (const listener of listeners) listener();
  }
}

function typeCode(contentType: string | null): ContentTypeCode {
  return contentType === jsonType ? 1 : (contentType ?? 0);
}
