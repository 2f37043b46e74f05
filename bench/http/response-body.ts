import { gunzipSync } from "node:zlib";

/** Returns the body of an HTTP/1.1 response as text, without chunks and without gzip. */
export function bodyOf(head: string, bytes: Buffer): string {
  const has = (name: string, value: string): boolean => new RegExp(`^${name}:.*${value}`, "im").test(head);
  const whole = has("transfer-encoding", "chunked") ? joined(bytes) : bytes;
  return (has("content-encoding", "gzip") ? gunzipSync(whole) : whole).toString();
}

/** Joins the chunks of a body (RFC 9112, section 7.1). */
export function joined(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf("\r\n", start);
    const size = end === -1 ? Number.NaN : Number.parseInt(bytes.toString("latin1", start, end), 16);
    if (Number.isNaN(size)) throw new Error("the chunked body is incomplete");
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    start = end + 2 + size + 2;
  }
}
