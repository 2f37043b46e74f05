import assert from "node:assert/strict";

import type { Heard } from "./raw-client.ts";

/**
 * Maximum number of response bytes for each byte that the client sent, in addition to `bytesMore`. The shortest request that is answered
 * without closing the connection has 27 bytes, and a response has less than 450 bytes.
 */
export const bytesPerByte = 16;
export const bytesMore = 1024;

/** Returns the number of response bytes for each byte that was sent. */
export function proportion({ text }: Heard, sent: Buffer): number {
  return (text.length - bytesMore) / sent.length;
}

/** Asserts that the responses are not much larger than the requests. */
export function holdProportion(heard: Heard, sent: Buffer): void {
  assert.ok(proportion(heard, sent) <= bytesPerByte, `${heard.text.length} bytes for ${sent.length}`);
}
