import type {
  ResponseBody,
  ResponseStreamEvents,
  ResponseWriter,
  RouteMatch,
  ServerExchange,
} from "@kit/types";

import type { Addon, ContentTypeCode, RequestId } from "./addon.ts";
import type { WaitingReaders } from "./body-reader.ts";
import { type OpenStreams, ResponseStream } from "./response-stream.ts";
import type { OpenSockets } from "./socket.ts";

/**
 * Layout of `traits`, a number that the addon passes with every request. The lowest four bits are the index of the method in `methods`. The
 * next four bits are flags.
 */
const methodBits = 0xf;
const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const bodyTooLargeBit = 1 << 4;
const traceparentBit = 1 << 5;
const bodyInChunksBit = 1 << 6;
const wantsSocketBit = 1 << 7;

/** Maximum number of bytes of a body that V8 stores in its own heap, without an allocation outside. */
const smallBytes = 64;

const jsonType = "application/json";

/** State that the exchanges of one server share. */
export interface ExchangeHost {
  readonly addon: Addon;
  readonly server: number;
  readonly scheme: "http" | "https";
  /** Exchanges whose handler wants to know if the client disconnects. */
  readonly listening: Map<RequestId, NativeExchange>;
  /** Requests whose client has disconnected before the response was sent. */
  readonly aborted: Set<RequestId>;
  /** Responses that are being streamed. */
  readonly streams: OpenStreams;
  /** Readers of request bodies that wait for a chunk. */
  readonly bodies: WaitingReaders;
  /** WebSockets that have not ended. */
  readonly sockets: OpenSockets;
}

/**
 * One request of the native server. The constructor gets the data that nearly every request needs. Methods read other data from the addon,
 * which works until the response is sent.
 */
export class NativeExchange implements ServerExchange {
  readonly target: string;
  readonly match: RouteMatch;
  readonly bodyLength: number;
  protected readonly host: ExchangeHost;
  protected readonly id: RequestId;
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

  get scheme(): "http" | "https" {
    return this.host.scheme;
  }

  get method(): string {
    return methods[this.traits & methodBits] ?? this.host.addon.method(this.host.server, this.id);
  }

  /** True, because the engine adds these headers. It writes some responses itself. */
  get hasResponseDefaults(): boolean {
    return true;
  }

  get bodyTooLarge(): boolean {
    return isBodyTooLarge(this.traits);
  }

  /** True if the addon passes the body on in chunks. */
  protected get hasBodyInChunks(): boolean {
    return (this.traits & bodyInChunksBit) !== 0;
  }

  get remoteAddress(): string {
    return this.host.addon.remoteAddress(this.host.server, this.id);
  }

  clientCertificate(): Uint8Array | undefined {
    const { addon, server, scheme } = this.host;
    return scheme === "https" ? addon.clientCertificate(server, this.id) : undefined;
  }

  bodyText(): string | undefined {
    if (this.body !== undefined) return this.body;
    if (this.bodyLength === 0) return "";
    return this.host.addon.bodyText(this.host.server, this.id);
  }

  bodyBytes(): Uint8Array {
    const { addon, server } = this.host;
    if (this.bodyLength > 0 && this.bodyLength <= smallBytes) {
      // Not `this.bodyText()`, which `UploadExchange` refuses.
      const bytes = asciiBytes(this.body ?? addon.bodyText(server, this.id), this.bodyLength);
      if (bytes !== undefined) return bytes;
    }
    return addon.bodyBytes(server, this.id);
  }

  header(name: string): string | undefined {
    // The server reads these two headers of most requests. In these cases the constructor's arguments tell their values.
    if (name === "traceparent" && (this.traits & traceparentBit) === 0) return undefined;
    if (name === "content-type" && this.body !== undefined) return jsonType;
    return this.host.addon.header(this.host.server, this.id, name);
  }

  headers(): Record<string, string> {
    const list = this.host.addon.headers(this.host.server, this.id);
    // The object has no prototype, because clients choose the names of its properties.
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
    addon.respond(server, this.id, status, typeCode(contentType), body, headerText(headers));
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
    const isThere =
      addon.respondStream(server, id, status, typeCode(contentType), length, headerText(headers)) === 1;
    this.forget();
    const stream = new ResponseStream(addon, server, id, events, streams);
    // `abort` must not be called before the caller has the writer.
    if (!isThere) queueMicrotask(() => stream.abort());
    return stream;
  }

  /** Removes the listeners of a request whose response is sent. */
  protected forget(): void {
    const { listening, aborted } = this.host;
    if (this.abortListeners !== undefined) listening.delete(this.id);
    if (aborted.size > 0) aborted.delete(this.id);
  }

  /** Calls the listeners of `onAbort` because the client has disconnected. */
  abort(): void {
    const listeners = this.abortListeners ?? [];
    this.abortListeners = undefined;
    for (const listener of listeners) listener();
  }
}

/** Returns true if the body of a request with these traits is larger than the limit. */
export function isBodyTooLarge(traits: number): boolean {
  return (traits & bodyTooLargeBit) !== 0;
}

/** Returns true if a request with these traits asks for a WebSocket. */
export function wantsSocket(traits: number): boolean {
  return (traits & wantsSocketBit) !== 0;
}

/** Returns the bytes of a text, or `undefined` if the text has other characters than ASCII. `length` is the number of its bytes in UTF-8. */
function asciiBytes(text: string | undefined, length: number): Uint8Array | undefined {
  if (text?.length !== length) return undefined;
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

function typeCode(contentType: string | null): ContentTypeCode {
  return contentType === jsonType ? 1 : (contentType ?? 0);
}

/**
 * Returns names and values as the addon reads them: lines, the first of which is the number of the others. A value with
 * a line break makes more lines, so that the addon refuses the headers.
 */
export function headerText(headers: readonly string[] | null): string | null {
  return headers === null || headers.length === 0 ? null : `${headers.length}\n${headers.join("\n")}`;
}
