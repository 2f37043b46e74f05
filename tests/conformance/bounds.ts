import assert from "node:assert/strict";

import type { Heard } from "./raw-client.ts";

/**
 * Maximum number of response bytes for each byte that was sent, in addition to `bytesMore`. The shortest request that gets a response and
 * leaves the connection open has 27 bytes, and a response has less than 450.
 */
export const bytesPerByte = 16;
export const bytesMore = 1024;

/** Returns the number of response bytes for each byte that was sent. */
export function proportion({ text }: Heard, sent: Buffer): number {
  return (text.length - bytesMore) / sent.length;
}

/** Asserts that the size of the responses is in proportion to the requests. */
export function holdProportion(heard: Heard, sent: Buffer): void {
  assert.ok(proportion(heard, sent) <= bytesPerByte, `${heard.text.length} bytes for ${sent.length}`);
}
