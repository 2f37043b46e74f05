/**
 * Converts any value to data for a log entry: plain JSON data, redacted and of limited size. Logging must neither throw
 * nor stall, for any value, because it is used where something has already failed.
 */
import { viewOfDatabaseError } from "./database-error.ts";
import { util } from "../node-modules.ts";
import { redacted, type Redactor } from "./redact.ts";

/** Maximum length of one string, in UTF-16 code units. */
const maxText = 16_384;
/** Maximum nesting of objects and arrays in the data of a log entry. */
const maxDepth = 12;
/** Maximum number of values in the data of a log entry. */
const maxValues = 5_000;

/** Properties of a validation failure that show the invalid value. */
const failureTexts: ReadonlySet<string> = new Set(["value", "received", "suggestion"]);

/** Converts the data of a log entry to plain JSON data, redacted and of limited size. */
export function toLoggable(value: unknown, redactor: Redactor): unknown {
  return new Reader(redactor).read(value, ["data"], []);
}

/** Returns a string. If it is too long for a log entry, returns its start with its length: `… (20000 characters)`. */
export function boundedText(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}… (${text.length} characters)` : text;
}

class Reader {
  readonly #redactor: Redactor;
  #remaining = maxValues;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  read(
    value: unknown,
    path: readonly string[],
    ancestors: readonly object[],
    isOfError: boolean = false,
  ): unknown {
    if (isOfError ? this.#redactor.hidesByPattern(path) : this.#redactor.hides(path)) return redacted;
    this.#remaining -= 1;
    if (this.#remaining < 0) return "[left out]";
    try {
      return this.#readUnguarded(value, path, ancestors);
    } catch {
      // A getter, a proxy trap or a `toJSON` threw. The rest of the entry is still useful.
      return "[unreadable]";
    }
  }

  #readUnguarded(value: unknown, path: readonly string[], ancestors: readonly object[]): unknown {
    switch (typeof value) {
      case "string":
        return this.#redactor.redactMessage(boundedText(value));
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
      case "symbol":
        return String(value);
      case "function":
        return "[function]";
      case "object":
        return value === null ? null : this.#readObject(value, path, ancestors);
      default:
        return value;
    }
  }

  #readObject(value: object, path: readonly string[], ancestors: readonly object[]): unknown {
    if (ancestors.includes(value)) return "[circular]";
    if (ancestors.length >= maxDepth) return "[too deep]";
    const within = [...ancestors, value];
    if (util.types.isDate(value))
      return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
    if (ArrayBuffer.isView(value) || util.types.isAnyArrayBuffer(value)) return `[${value.byteLength} bytes]`;
    if (util.types.isNativeError(value) || value instanceof Error)
      return this.#readError(value, path, within);
    if (Array.isArray(value)) return this.#readItems(value, path, within);
    if (util.types.isSet(value)) return this.#readItems(value, path, within);
    if (util.types.isMap(value)) return this.#readEntries(entriesOf(value), path, within);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.read(toJSON.call(value), path, within);
    const hidden = this.#isHiddenFailure(value) ? failureTexts : undefined;
    return this.#readEntries(
      Object.keys(value).map((key) => [
        key,
        () => (hidden?.has(key) === true ? redacted : (value as Record<string, unknown>)[key]),
      ]),
      path,
      within,
    );
  }

  /**
   * Returns true if a value is a validation failure of a hidden field. A failure contains the path of the field and the
   * invalid value.
   */
  #isHiddenFailure(value: object): boolean {
    const { path } = value as { path?: unknown };
    return typeof path === "string" && path.startsWith("$") && this.#redactor.hidesField(path);
  }

  #readItems(items: Iterable<unknown>, path: readonly string[], within: readonly object[]): unknown[] {
    const list: unknown[] = [];
    for (const item of items) {
      if (this.#remaining <= 0) {
        list.push("[left out]");
        break;
      }
      list.push(this.read(item, path, within) ?? null);
    }
    return list;
  }

  #readError(error: Error, path: readonly string[], within: readonly object[]): unknown {
    // These properties of an error are not enumerable.
    const own = new Set(["name", "message", "stack", "cause"].filter((key) => key in error));
    const keys = [...own, ...Object.keys(error).filter((key) => !own.has(key))];
    const view = viewOfDatabaseError(error);
    return this.#readEntries(
      keys.map((key) => [
        key,
        () => (view?.has(key) === true ? view.get(key) : (error as unknown as Record<string, unknown>)[key]),
      ]),
      path,
      within,
      own,
    );
  }

  #readEntries(
    entries: Iterable<readonly [string, () => unknown]>,
    path: readonly string[],
    within: readonly object[],
    ofError?: ReadonlySet<string>,
  ): Record<string, unknown> {
    // The object has no prototype, so that a property named `__proto__` is an ordinary property.
    const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [key, get] of entries) {
      if (this.#remaining <= 0) {
        copy["…"] = "[left out]";
        break;
      }
      let item: unknown;
      try {
        item = get();
      } catch {
        item = "[unreadable]";
      }
      copy[key] = this.read(item, [...path, key.toLowerCase()], within, ofError?.has(key));
    }
    return copy;
  }
}

/** Yields entries one by one, because a map may have more entries than are read. */
function* entriesOf(map: ReadonlyMap<unknown, unknown>): Generator<readonly [string, () => unknown]> {
  for (const [key, item] of map) yield [typeof key === "object" ? "[object]" : String(key), () => item];
}
