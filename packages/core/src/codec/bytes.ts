/**
 * Returns true if a wire value is canonical base64 with the standard alphabet and padding (RFC 4648, section 4): unused
 * bits are zero.
 *
 * @example
 * ```ts
 * isBase64("AQI="); // true
 * isBase64("AQI"); // false
 * ```
 */
export function isBase64(value: unknown): value is string {
  if (typeof value !== "string" || value.length % 4 !== 0) return false;
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  const digits = value.length - padding;
  for (let index = 0; index < digits; index++) {
    if (sextet(value.charCodeAt(index)) < 0) return false;
  }
  if (padding === 0) return true;
  const last = sextet(value.charCodeAt(digits - 1));
  return digits > 0 && (last & (padding === 2 ? 0b1111 : 0b11)) === 0;
}

/**
 * Decodes a string that {@link isBase64} accepts.
 *
 * @example
 * ```ts
 * decodeBytes("AQI="); // new Uint8Array([1, 2])
 * ```
 */
export function decodeBytes(text: string): Uint8Array {
  // A copy is necessary, because small Buffers are views of a shared pool.
  return new Uint8Array(Buffer.from(text, "base64"));
}

/**
 * Encodes bytes as base64.
 *
 * @example
 * ```ts
 * encodeBytes(new Uint8Array([1, 2])); // "AQI="
 * ```
 */
export function encodeBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Returns the six bits of a base64 digit, or -1. */
function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43) return 62;
  return code === 47 ? 63 : -1;
}
