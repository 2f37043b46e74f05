import assert from "node:assert/strict";

import type { Heard } from "./raw-client.ts";

/**
 * The answers on a connection have at most so many bytes for each byte of what was sent, and so many more. The shortest request that is
 * answered and leaves the connection open has 27 bytes, and an answer has less than 450.
 */
export const bytesPerByte = 16;
export const bytesMore = 1024;

/** Number of answered bytes for each byte that was sent. */
export function proportion({ text }: Heard, sent: Buffer): number {
  return (text.length - bytesMore) / sent.length;
}

/** Holds that answers are not out of proportion. */
export function holdProportion(heard: Heard, sent: Buffer): void {
  assert.ok(proportion(heard, sent) <= bytesPerByte, `${heard.text.length} bytes for ${sent.length}`);
}
