import { randomBytes, randomFillSync } from "node:crypto";

const traceIdBytes = 16;

/**
 * Random bytes for trace ids, generated and converted to hexadecimal digits in bulk. A call for each request would cost
 * more than the rest of the trace id. An id in memory holds the entire string that it was cut from, so the pool is
 * small.
 */
const pool = Buffer.alloc(traceIdBytes * 64);
let text = "";
let used = 0;

/** Returns a random W3C trace id: 32 hexadecimal digits, not all zero. */
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

/** Contents of a `traceparent` header. */
export interface TraceParent {
  readonly traceId: string;
  /** Span id of the sender. */
  readonly spanId: string;
  /** True if the sender records the trace. */
  readonly isSampled: boolean;
}

/** Parses a `traceparent` header. Returns `undefined` if it is invalid by W3C Trace Context. */
export function readTraceparent(header: string | undefined): TraceParent | undefined {
  if (header === undefined) return undefined;
  const [, version, traceId, spanId, flags, more] = traceparentPattern.exec(header) ?? [];
  // Version 00 has exactly four fields. Later versions may have more. Version ff is invalid.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === noTrace || spanId === noSpan) return undefined;
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/** Number of digits that all span ids of a request share. The remaining digits distinguish them. */
const prefixDigits = 13;
const lastDigits = Array.from({ length: 4_096 }, (_, index) => index.toString(16).padStart(3, "0"));

/** Returns a random prefix for the span ids of one request. */
export function randomSpanPrefix(): string {
  return randomTraceId().slice(0, prefixDigits);
}

/**
 * Returns the span id of a request that has the given index, from 0 to 4,094: 16 hexadecimal digits, not all zero. Two
 * strings are joined, because formatting a number would be slower.
 */
export function spanIdOf(prefix: string, index: number): string {
  return prefix + lastDigits[index + 1]!;
}

/** Returns a random W3C span id: 16 hexadecimal digits, not all zero. */
export function randomSpanId(): string {
  return spanIdOf(randomSpanPrefix(), 0);
}

/**
 * Prefix of request ids. Distinguishes the requests of this process from the requests of other processes in the same
 * log.
 */
const processPrefix = randomBytes(5).toString("hex");
let count = 0;

/** Returns a new request id. */
export function nextRequestId(): string {
  count += 1;
  return `${processPrefix}-${count.toString(36)}`;
}
