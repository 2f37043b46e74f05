/**
 * A handler's value as JSON has it: dates as RFC 3339, bigints as digits, bytes as base64. What is no value of a handler is left as it
 * is, so that what was spoiled stays spoiled.
 */
export function toWire(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toWire);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toWire(part)]));
}

/** A body as a request sends it. As `JSON.stringify`, which bigints and bytes are foreign to. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, part: unknown): unknown {
    // What it really was: bytes of Node have a form of their own in JSON.
    const held = this[key];
    return typeof held === "bigint" || held instanceof Uint8Array ? toWire(held) : part;
  });
}
