import { randomBytes, randomFillSync } from "node:crypto";

const traceIdBytes = 16;

/**
 * Random bytes are fetched and written as text in bulk: a call for each request would cost more than the rest of the trace id.
 * An id that is kept keeps the text that it is a part of, so that is no longer than this.
 */
const pool = Buffer.alloc(traceIdBytes * 64);
let text = "";
let used = 0;

/** A random W3C trace id: 32 hexadecimal digits, not all zero. */
export function randomTraceId(): string {
  if (used === text.length) {
    text = randomFillSync(pool).toString("hex");
    used = 0;
  }
  const id = text.slice(used, used + 2 * traceIdBytes);
  used += 2 * traceIdBytes;
  return id === noTrace ? randomTraceId() : id;
}

const noTrace = "0".repeat(32);
const noSpan = "0".repeat(16);
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What a `traceparent` header says. */
export interface TraceParent {
  readonly traceId: string;
  /** The span of whoever sent the request. */
  readonly spanId: string;
  /** Whether whoever sent it records the trace. */
  readonly isSampled: boolean;
}

/** What a `traceparent` header says, where it is valid by W3C Trace Context. */
export function readTraceparent(header: string | undefined): TraceParent | undefined {
  if (header === undefined) return undefined;
  const [, version, traceId, spanId, flags, more] = traceparentPattern.exec(header) ?? [];
  // Version 00 has exactly four fields; later ones may add more; ff is not a version.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/** Digits that the span ids of one request have in common; the rest tells them apart. */
const prefixDigits = 13;
const lastDigits = Array.from({ length: 4_096 }, (_, index) => index.toString(16).padStart(3, "0"));

/** What the span ids of one request begin with. */
export function randomSpanPrefix(): string {
  return randomTraceId().slice(0, prefixDigits);
}

/** The id of a request's span of that number, from 0 to 4,094: 16 hexadecimal digits, not all zero. Two texts joined: numbers would have to be written. */
export function spanIdOf(prefix: string, index: number): string {
  return prefix + lastDigits[index + 1]!;
}

/** A random W3C span id: 16 hexadecimal digits, not all zero. */
export function randomSpanId(): string {
  return spanIdOf(randomSpanPrefix(), 0);
}

/** Tells this process's requests from those of others that log to the same place. */
const processPrefix = randomBytes(5).toString("hex");
let count = 0;

/** A new request id. */
export function nextRequestId(): string {
  count += 1;
  return `${processPrefix}-${count.toString(36)}`;
}
