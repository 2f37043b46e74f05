import { encodeBytes } from "./bytes.ts";
import { encodeDate } from "./encode-date.ts";
import { encodeNumber } from "./encode-number.ts";
import { firstFailure } from "./explain.ts";
import { isWritableDate } from "./rules.ts";
import type { Shape } from "./shape.ts";

/** Longer texts are left to `JSON.stringify`, whose native scan is then faster than a loop. */
const SHORT = 40;

/** A JSON string. */
export function writeString(value: unknown): string {
  if (typeof value !== "string") refuse(value);
  return value.length <= SHORT && isPlain(value) ? `"${value}"` : JSON.stringify(value);
}

/** What stands between the quotes of a JSON string: the value itself where nothing must be escaped. */
export function stringContent(value: unknown): string {
  if (typeof value !== "string") refuse(value);
  return value.length <= SHORT && isPlain(value) ? value : JSON.stringify(value).slice(1, -1);
}

/** Whether a string has no control character, quote, backslash or surrogate, of which a lone one must be escaped. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff)) return false;
  }
  return true;
}

/** A JSON number; `-0` is written as `0`. `JSON.stringify` would hide `NaN` as `null`. */
export function writeNumber(value: unknown): string {
  if (typeof value !== "number" || !Number.isFinite(value)) refuse(value);
  return encodeNumber(value);
}

/** `true` or `false`. */
export function writeBoolean(value: unknown): string {
  if (typeof value !== "boolean") refuse(value);
  return value ? "true" : "false";
}

/** A bigint as a JSON string of its digits: a JSON number would lose some of them at the reader. */
export function writeBigInt(value: unknown): string {
  if (typeof value !== "bigint") refuse(value);
  return `"${value}"`;
}

/** A `Date` as an RFC 3339 string in UTC. */
export function writeDate(value: unknown): string {
  return `"${dateContent(value)}"`;
}

/** What stands between the quotes of a `Date`. */
export function dateContent(value: unknown): string {
  if (!isWritableDate(value)) refuse(value);
  return encodeDate(value.getTime());
}

/** Bytes as a base64 string. */
export function writeBytes(value: unknown): string {
  if (!(value instanceof Uint8Array)) refuse(value);
  return `"${encodeBytes(value)}"`;
}

/**
 * A value whose type is `unknown`, as `JSON.stringify` writes it; but what that would turn into `null` without a word, `NaN`,
 * the infinities and invalid dates, is refused.
 */
export function writeUnknown(value: unknown): string {
  return (JSON.stringify(value, refuseLoss) as string | undefined) ?? refuse(value);
}

/** A replacer sees a date after its `toJSON`, so it looks at the holder. */
function refuseLoss(this: unknown, key: string, written: unknown): unknown {
  if (typeof written === "number" && !Number.isFinite(written)) refuse(written);
  if (written === null) {
    const value = (this as Readonly<Record<string, unknown>>)[key];
    if (value instanceof Date) refuse(value);
  }
  return written;
}

/** Stops the writing of a value that has no JSON form. {@link unserializable} finds out where it was. */
export function refuse(value: unknown): never {
  throw new TypeError(`${value === undefined ? "undefined" : typeof value} cannot be written here`);
}

/**
 * The error of a `serialize` that failed, with the JSONPath of the first value that could not be written. Writers keep no path,
 * so that an answer that can be written does not pay for one.
 */
export function unserializable(name: string, shape: Shape, value: unknown, cause: unknown): TypeError {
  const failure = firstFailure(shape, value, "value", false);
  const reason =
    failure === undefined
      ? `$ ${cause instanceof Error ? cause.message : "cannot be written"}`
      : `${failure.path} should be ${failure.expected}, but is ${failure.received}`;
  return new TypeError(`${name} has no JSON form: ${reason}`, { cause });
}
