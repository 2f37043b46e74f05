import type { Place } from "./messages.ts";

/** A range of a text in the units of JavaScript strings. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Returns the range of a text that a location of the compiler names. The compiler counts bytes of UTF-8. If the location names no part of
 * the text, the range is the first line.
 */
export function rangeOf(text: string, { start, end, line }: Place): Range {
  const bytes = encoder.encode(text);
  const firstLine = text.indexOf("\n");
  if (line === 0 || start > bytes.length) return { from: 0, to: firstLine === -1 ? text.length : firstLine };
  const from = decoder.decode(bytes.subarray(0, start)).length;
  const to = from + decoder.decode(bytes.subarray(start, end)).length;
  return { from, to };
}
