// Converts values to JSON values, and to literal types of TypeScript.

import { isObject } from "./values.ts";

/** Returns the JSON value that a handler's value becomes on the wire. */
export function onTheWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(onTheWire);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, onTheWire(item)]));
  return value;
}

/** Returns the literal type of a value as TypeScript source: `{ a: 1 }` for the object. */
export function literalType(value: unknown): string {
  if (value instanceof Date) return "Date";
  if (value instanceof Uint8Array) return "Uint8Array";
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(literalType).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${literalType(item)}`,
    );
    return `{ ${members.join("; ")} }`;
  }
  return JSON.stringify(value);
}
