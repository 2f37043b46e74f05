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
const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a `traceparent` header, where the header is valid by W3C Trace Context. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  if (traceparent === undefined) return undefined;
  const [, version, traceId, parentId, more] = traceparentPattern.exec(traceparent) ?? [];
  // Version 00 has exactly four fields; later ones may add more; ff is not a version.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return traceId === noTrace || parentId === "0".repeat(16) ? undefined : traceId;
}

/** Tells this process's requests from those of others that log to the same place. */
const processPrefix = randomBytes(5).toString("hex");
let count = 0;

/** A new request id. */
export function nextRequestId(): string {
  count += 1;
  return `${processPrefix}-${count.toString(36)}`;
}
