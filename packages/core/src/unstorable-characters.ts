/**
 * Detects characters that are valid in a string but that no database stores: U+0000, which PostgreSQL
 * refuses, and unpaired surrogates, which have no UTF-8 form and would be replaced. These characters can only
 * arrive as an escape, so a request without an escape costs only a search for escapes.
 */
import type { ValidationFailure } from "@kit/types";

import { itemPath, memberPath } from "./codec/path.ts";

/** Returns true if a JSON string has a `\u` escape, which may encode an unstorable character. */
export function mayContainUnstorable(json: string): boolean {
  return json.includes("\\u");
}

/** Returns true if a request target has the escape `%00`. No other escape encodes an unstorable character. */
export function targetMayContainUnstorable(target: string): boolean {
  return target.includes("%00");
}

/** Value that is still to be checked, with its location. */
interface Location {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Location | undefined;
}

/**
 * Returns a failure for the first string in decoded params, a query or a body that has a character no
 * database stores. Undeclared properties cause no failure, because decoding has dropped them. Uses its own
 * stack, because values may be nested deeply.
 */
export function findUnstorable(slot: unknown): ValidationFailure | undefined {
  const places: Location[] = [{ value: slot, key: "$", parent: undefined }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value } = place;
    if (typeof value === "string") {
      if (isUnstorable(value)) return failureAt(place, "string");
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        places.push({ value: value[index] as unknown, key: index, parent: place });
      }
    } else if (
      typeof value === "object" &&
      value !== null &&
      !ArrayBuffer.isView(value) &&
      !(value instanceof Blob)
    ) {
      for (const [key, member] of Object.entries(value).toReversed()) {
        const next: Location = { value: member, key, parent: place };
        if (isUnstorable(key)) return failureAt(next, "key");
        places.push(next);
      }
    }
  }
  return undefined;
}

function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/**
 * Creates the failure. The failure does not contain the string, which may be sensitive and cannot be displayed
 * properly.
 */
function failureAt(place: Location, what: "string" | "key"): ValidationFailure {
  return {
    path: pathOf(place),
    expected: `${what} without U+0000 and unpaired surrogates`,
    received: `${what} with one of them`,
    rule: "characters",
    suggestion: "Leave the character out",
  };
}

function pathOf(place: Location): string {
  const places: Location[] = [];
  for (let at: Location | undefined = place; at?.parent !== undefined; at = at.parent) places.push(at);
  return places.reduceRight(
    (path, { key }) => (typeof key === "number" ? itemPath(path, key) : memberPath(path, key)),
    "$",
  );
}
