import assert from "node:assert/strict";

import type { Received } from "./raw-client.ts";

/**
 * Maximum number of response bytes for each byte that the client sent, in addition to `bytesMore`. The shortest request that is answered
 * without closing the connection has 27 bytes, and a response has less than 450 bytes.
 */
export const bytesPerByte = 16;
export const bytesMore = 1024;

/** Returns the number of response bytes for each byte that was sent. */
export function proportion({ text }: Received, sent: Buffer): number {
  return (text.length - bytesMore) / sent.length;
}

/** Asserts that the responses are not much larger than the requests. */
export function assertProportion(received: Received, sent: Buffer): void {
  assert.ok(proportion(received, sent) <= bytesPerByte, `${received.text.length} bytes for ${sent.length}`);
}
