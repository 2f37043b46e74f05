import { encodeBytes } from "./bytes.ts";
import { encodeDate } from "./encode-date.ts";
import { encodeNumber } from "./encode-number.ts";
import { firstFailure } from "./explain.ts";
import { isWritableDate } from "./rules.ts";
import type { Shape } from "./shape.ts";

/**
 * Maximum length of strings that a loop checks, and maximum length that an expression checks. For longer strings, the native code of
 * `JSON.stringify` is faster.
 */
const [TINY, SHORT] = [10, 80];

/** Matches characters that JSON strings must escape, and all surrogates. Unpaired surrogates must be escaped. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[\x00-\x1f"\\\ud800-\udfff]/;

/**
 * Returns a JSON string.
 *
 * @example
 * ```ts
 * writeString("a\nb"); // '"a\\nb"'
 * ```
 */
export function writeString(value: unknown): string {
  if (typeof value !== "string") refuse(value);
  return isShortAndPlain(value) ? `"${value}"` : JSON.stringify(value);
}

/**
 * Returns the characters between the quotes of a JSON string: the value itself if nothing must be escaped.
 *
 * @example
 * ```ts
 * stringContent("a\nb"); // "a\\nb"
 * ```
 */
export function stringContent(value: unknown): string {
  if (typeof value !== "string") refuse(value);
  return isShortAndPlain(value) ? value : JSON.stringify(value).slice(1, -1);
}

/** Returns true if a string has at most 80 characters, and none of {@link SPECIAL}. */
function isShortAndPlain(text: string): boolean {
  if (text.length > TINY) return text.length <= SHORT && !SPECIAL.test(text);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff)) return false;
  }
  return true;
}

/**
 * Returns a JSON number. `-0` becomes `0`. Refuses `NaN`, which `JSON.stringify` would silently write as `null`.
 *
 * @example
 * ```ts
 * writeNumber(-0); // "0"
 * writeNumber(Number.NaN); // throws TypeError
 * ```
 */
export function writeNumber(value: unknown): string {
  if (typeof value !== "number" || !Number.isFinite(value)) refuse(value);
  return encodeNumber(value);
}

/**
 * Returns `true` or `false`.
 *
 * @example
 * ```ts
 * writeBoolean(true); // "true"
 * ```
 */
export function writeBoolean(value: unknown): string {
  if (typeof value !== "boolean") refuse(value);
  return value ? "true" : "false";
}

/**
 * Returns a bigint as a JSON string of its digits. A JSON number would lose precision in the program that
 * reads it.
 *
 * @example
 * ```ts
 * writeBigInt(7n); // '"7"'
 * ```
 */
export function writeBigInt(value: unknown): string {
  if (typeof value !== "bigint") refuse(value);
  return `"${value}"`;
}

/**
 * Returns a `Date` as an RFC 3339 string in UTC.
 *
 * @example
 * ```ts
 * writeDate(new Date(0)); // '"1970-01-01T00:00:00.000Z"'
 * ```
 */
export function writeDate(value: unknown): string {
  return `"${dateContent(value)}"`;
}

/**
 * Returns a `Date` as an RFC 3339 string in UTC, without quotes.
 *
 * @example
 * ```ts
 * dateContent(new Date(0)); // "1970-01-01T00:00:00.000Z"
 * ```
 */
export function dateContent(value: unknown): string {
  if (!isWritableDate(value)) refuse(value);
  return encodeDate(value.getTime());
}

/**
 * Returns bytes as a base64 string.
 *
 * @example
 * ```ts
 * writeBytes(new Uint8Array([1, 2])); // '"AQI="'
 * ```
 */
export function writeBytes(value: unknown): string {
  if (!(value instanceof Uint8Array)) refuse(value);
  return `"${encodeBytes(value)}"`;
}

/**
 * Returns the JSON of a value of type `unknown`, as `JSON.stringify` writes it. Refuses values that would silently
 * become `null`: `NaN`, the infinities and invalid dates.
 *
 * @example
 * ```ts
 * writeUnknown({ tags: ["a"] }); // '{"tags":["a"]}'
 * writeUnknown([Number.NaN]); // throws TypeError
 * ```
 */
export function writeUnknown(value: unknown): string {
  return (JSON.stringify(value, refuseLoss) as string | undefined) ?? refuse(value);
}

/**
 * Replacer for `JSON.stringify` that throws for values without a JSON form. The replacer receives a date
 * after the call of `toJSON`, so it reads the original date from the object that contains it.
 */
function refuseLoss(this: unknown, key: string, written: unknown): unknown {
  if (typeof written === "number" && !Number.isFinite(written)) refuse(written);
  if (written === null) {
    const value = (this as Readonly<Record<string, unknown>>)[key];
    if (value instanceof Date) refuse(value);
  }
  return written;
}

/**
 * Throws for a value that has no JSON form. {@link unserializable} determines the location of the value.
 *
 * @example
 * ```ts
 * refuse(Number.NaN); // throws TypeError
 * ```
 */
export function refuse(value: unknown): never {
  throw new TypeError(`${value === undefined ? "undefined" : typeof value} cannot be written here`);
}

/**
 * Returns the error for a failed `serialize`, with the JSONPath of the first value that could not be written. The path
 * is determined only after a failure, so that valid responses have no cost.
 *
 * @example
 * ```ts
 * const shape: Shape = { kind: "array", element: { kind: "number" } };
 * unserializable("Ratings", shape, [1, Number.NaN], undefined).message;
 * // "Ratings has no JSON form: $[1] should be number, but is number NaN"
 * ```
 */
export function unserializable(name: string, shape: Shape, value: unknown, cause: unknown): TypeError {
  const failure = firstFailure(shape, value, "value", false);
  const reason =
    failure === undefined
      ? `$ ${cause instanceof Error ? cause.message : "cannot be written"}`
      : `${failure.path} should be ${failure.expected}, but is ${failure.received}`;
  return new TypeError(`${name} has no JSON form: ${reason}`, { cause });
}
