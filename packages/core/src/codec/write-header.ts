import { encodeBytes } from "./bytes.ts";
import { encodeNumber } from "./encode-number.ts";
import { firstFailure } from "./explain.ts";
import { memberPath } from "./path.ts";
import type { Shape } from "./shape.ts";
import { dateContent, refuse } from "./write.ts";

/** Writes one value as the text of a header. */
type HeaderText = (value: unknown) => string;

/**
 * Returns a string as the value of a header. Refuses strings with a character that a header cannot contain: control
 * characters other than the tab, and characters outside ISO 8859-1 (RFC 9110, section 5.5).
 *
 * @example
 * ```ts
 * headerString("/orders/7"); // "/orders/7"
 * headerString("a\r\nset-cookie: b"); // throws TypeError
 * ```
 */
export function headerString(value: unknown): string {
  if (typeof value !== "string" || forbiddenUnit(value) >= 0) refuse(value);
  return value;
}

/**
 * Returns a number as its JSON text. Refuses `NaN` and the infinities.
 *
 * @example
 * ```ts
 * headerNumber(1.5); // "1.5"
 * ```
 */
export function headerNumber(value: unknown): string {
  if (typeof value !== "number" || !Number.isFinite(value)) refuse(value);
  return encodeNumber(value);
}

/**
 * Returns `true` or `false`.
 *
 * @example
 * ```ts
 * headerBoolean(true); // "true"
 * ```
 */
export function headerBoolean(value: unknown): string {
  if (typeof value !== "boolean") refuse(value);
  return value ? "true" : "false";
}

/**
 * Returns the digits of a bigint.
 *
 * @example
 * ```ts
 * headerBigInt(7n); // "7"
 * ```
 */
export function headerBigInt(value: unknown): string {
  if (typeof value !== "bigint") refuse(value);
  return `${value}`;
}

/**
 * Returns a `Date` as an RFC 3339 string in UTC.
 *
 * @example
 * ```ts
 * headerDate(new Date(0)); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function headerDate(value: unknown): string {
  return dateContent(value);
}

/**
 * Returns bytes as a base64 string.
 *
 * @example
 * ```ts
 * headerBytes(new Uint8Array([1, 2])); // "AQI="
 * ```
 */
export function headerBytes(value: unknown): string {
  if (!(value instanceof Uint8Array)) refuse(value);
  return encodeBytes(value);
}

/**
 * Returns a value of any type that a header may have, for unions of several types.
 *
 * @example
 * ```ts
 * headerScalar("all"); // "all"
 * headerScalar(7); // "7"
 * ```
 */
export function headerScalar(value: unknown): string {
  switch (typeof value) {
    case "string":
      return headerString(value);
    case "number":
      return headerNumber(value);
    case "boolean":
      return headerBoolean(value);
    case "bigint":
      return headerBigInt(value);
    default:
      return value instanceof Date ? headerDate(value) : headerBytes(value);
  }
}

/**
 * Returns the items of an array. Refuses every other value.
 *
 * @example
 * ```ts
 * headerItems(["a=1", "b=2"]); // ["a=1", "b=2"]
 * ```
 */
export function headerItems(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) refuse(value);
  return value as readonly unknown[];
}

/**
 * Returns the items of an array as one value: a list (RFC 9110, section 5.6.1).
 *
 * @example
 * ```ts
 * headerList(["accept", "origin"], headerString); // "accept, origin"
 * ```
 */
export function headerList(value: unknown, text: HeaderText): string {
  const items = headerItems(value);
  let joined = "";
  for (let index = 0; index < items.length; index++) {
    const item = text(items[index]);
    joined += index === 0 ? item : `, ${item}`;
  }
  return joined;
}

/**
 * Returns the error for a failed `write`, with the JSONPath of the first header that could not be written. The path is
 * determined only after a failure, so that valid replies have no cost.
 *
 * @example
 * ```ts
 * const shape: Shape = { kind: "object", properties: [{ key: "location", shape: { kind: "string" } }] };
 * unwritable("Moved", shape, { location: "/a\n" }, undefined).message;
 * // "Moved cannot be written as headers: $.location has the character U+000A, which a header cannot contain"
 * ```
 */
export function unwritable(name: string, shape: Shape, value: unknown, cause: unknown): TypeError {
  const failure = firstFailure(shape, value, "value", false);
  const reason =
    failure === undefined
      ? (forbiddenText(value) ?? `$ ${cause instanceof Error ? cause.message : "cannot be written"}`)
      : `${failure.path} should be ${failure.expected}, but is ${failure.received}`;
  return new TypeError(`${name} cannot be written as headers: ${reason}`, { cause });
}

/** Describes the first string with a character that a header cannot contain. */
function forbiddenText(headers: unknown): string | undefined {
  for (const [name, value] of Object.entries(headers as object) as [string, unknown][]) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const unit = typeof item === "string" ? forbiddenUnit(item) : -1;
      if (unit < 0) continue;
      const character = unit.toString(16).toUpperCase().padStart(4, "0");
      return `${memberPath("$", name)} has the character U+${character}, which a header cannot contain`;
    }
  }
  return undefined;
}

/** Returns the first UTF-16 code unit that a header cannot contain. Returns -1 if there is none. */
function forbiddenUnit(text: string): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const isAllowed = unit >= 0x20 ? unit !== 0x7f && unit <= 0xff : unit === 0x09;
    if (!isAllowed) return unit;
  }
  return -1;
}
