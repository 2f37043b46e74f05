/** String that replaces a value that must not be shown. */
export const REDACTED = "[redacted]";

/** Maximum number of characters of a string in the copy of a value that an error contains. */
const MAX_TEXT = 200;
/** Maximum number of entries of an array or object in this copy. */
const MAX_PARTS = 10;
/** Maximum number of nested arrays and objects in this copy. */
const MAX_LEVELS = 3;

/**
 * Returns a value as errors show it: JSON of limited size. A string is cut after 200 characters, an array or object
 * after 10 entries and 3 levels, and `…` marks the cut. Values that JSON does not have become strings, such as
 * `[function]`.
 */
export function displayValue(value: unknown, levels: number = MAX_LEVELS): unknown {
  switch (typeof value) {
    case "string":
      return truncate(value);
    case "bigint":
      return `${truncate(value.toString())}n`;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "function":
    case "symbol":
      return `[${typeof value}]`;
    case "object":
      return value === null ? null : shownParts(value, levels);
    default:
      return value;
  }
}

function shownParts(value: object, levels: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (levels === 0) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_PARTS).map((item) => displayValue(item, levels - 1));
    return value.length > MAX_PARTS ? [...items, "…"] : items;
  }
  const result: Record<string, unknown> = {};
  let parts = 0;
  for (const key in value) {
    if (!Object.hasOwn(value, key) || key === "__proto__") continue;
    if (parts++ === MAX_PARTS) {
      result["…"] = "…";
      break;
    }
    result[truncate(key)] = displayValue((value as Record<string, unknown>)[key], levels - 1);
  }
  return result;
}

/** Returns the first 200 UTF-16 code units of a string, with `…` if there are more. */
export function truncate(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  // The cut must not separate a surrogate pair.
  const end = (text.charCodeAt(MAX_TEXT - 1) & 0xfc00) === 0xd800 ? MAX_TEXT - 1 : MAX_TEXT;
  return `${text.slice(0, end)}…`;
}
