/**
 * Returns the wire form of a value: dates as RFC 3339 strings, bigints as digits, bytes as base64. All other values stay unchanged, so that
 * an invalid value stays invalid.
 */
export function toWire(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toWire);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toWire(part)]));
}

/** Returns the JSON of a request body. Unlike `JSON.stringify`, it accepts bigints and bytes. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, part: unknown): unknown {
    // Reads the value from its object: `Buffer.toJSON` has already replaced `part` by another object.
    const held = this[key];
    return typeof held === "bigint" || held instanceof Uint8Array ? toWire(held) : part;
  });
}
