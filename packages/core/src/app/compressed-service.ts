import type { ResponseBody, ResponseStreamEvents, ServerExchange, ServerService } from "@kit/types";

import type { ContentCoding } from "../edge/accept-encoding.ts";
import { type Compression, headersOfCompressed } from "../edge/compression.ts";
import { compressAll, CompressedWriter } from "../edge/compressor.ts";
import { mergeHeaders } from "../edge/merge-headers.ts";
import { serviceAround } from "./service-around.ts";

/**
 * Maximum number of bytes of a body that is compressed synchronously, in less than a millisecond. A larger body is
 * compressed in Node's thread pool and sent as a stream, so that other requests do not wait.
 */
const atOnceBytes = 32 * 1024;

const vary = ["vary", "accept-encoding"] as const;
const ignoredEvents: ResponseStreamEvents = { drain: () => undefined, abort: () => undefined };

/** Returns a service whose responses are compressed if the client accepts a coding. */
export function compressedService(service: ServerService, compression: Compression): ServerService {
  return serviceAround(service, (exchange, pass) => {
    apply(exchange, compression);
    pass();
  });
}

type Mutable = { -readonly [Key in keyof ServerExchange]: ServerExchange[Key] };
type RespondStream = NonNullable<ServerExchange["respondStream"]>;

/** Replaces the functions of an exchange that send responses by functions that compress. */
function apply(exchange: Mutable, compression: Compression): void {
  const respond = exchange.respond.bind(exchange);
  const respondStream = exchange.respondStream?.bind(exchange);
  const accepted = (): string | undefined => exchange.header("accept-encoding");
  const isHead = exchange.method === "HEAD";
  exchange.respond = (status, contentType, body, headers) => {
    const length = lengthOf(body);
    const { coding, varies } = compression.plan({ status, contentType, headers, length }, accepted);
    const varied = varies ? mergeHeaders(headers, vary) : headers;
    if (coding === null || body === null) return respond(status, contentType, body, varied);
    const head = headersOfCompressed(varied ?? [], coding);
    if (respondStream !== undefined && (isHead || length > atOnceBytes)) {
      sendAsStream({ respondStream, status, contentType, headers: head }, isHead ? null : body, coding);
    } else respond(status, contentType, compressAll(bytesOf(body), coding), head);
  };
  if (respondStream === undefined) return;
  exchange.respondStream = (status, contentType, length, headers, events) => {
    const { coding, varies } = compression.plan({ status, contentType, headers, length: null }, accepted);
    const varied = varies ? mergeHeaders(headers, vary) : headers;
    if (coding === null) return respondStream(status, contentType, length, varied, events);
    const head = headersOfCompressed(varied ?? [], coding);
    if (isHead) return respondStream(status, contentType, null, head, events);
    const writer = new CompressedWriter(coding, events);
    writer.target = respondStream(status, contentType, null, head, writer);
    return writer;
  };
}

/** Response that is sent as a stream, without its body. */
interface StreamedHead {
  readonly respondStream: RespondStream;
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: readonly string[];
}

/** Sends a whole body as a compressed stream. A response to HEAD, whose body is `null`, has no length and no body. */
function sendAsStream(head: StreamedHead, body: ResponseBody, coding: ContentCoding): void {
  const { respondStream, status, contentType, headers } = head;
  if (body === null) {
    respondStream(status, contentType, null, headers, ignoredEvents).end();
    return;
  }
  const writer = new CompressedWriter(coding, ignoredEvents);
  writer.target = respondStream(status, contentType, null, headers, writer);
  // The bytes belong to the handler, which may change them afterwards.
  writer.write(typeof body === "string" ? Buffer.from(body) : body.slice());
  writer.end();
}

function lengthOf(body: ResponseBody): number {
  if (body === null) return 0;
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}

function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? Buffer.from(body) : body;
}
