/**
 * Text that validators take as a string and no database keeps: U+0000, which PostgreSQL refuses, and surrogates without
 * their partner, which have no UTF-8 form and would be stored as something else. Both can only come in by an escape, so a
 * request without one pays for a search in its text and for nothing else.
 */
import type { ValidationFailure } from "@kit/types";

import { itemPath, memberPath } from "../codec/path.ts";

/** Whether a JSON text has an escape that could stand for such a character. */
export function mayHoldUnstorable(json: string): boolean {
  return json.includes("\\u");
}

/** Whether a request's target has the one percent-escape that stands for such a character. */
export function targetMayHoldUnstorable(target: string): boolean {
  return target.includes("%00");
}

/** A value that is still to be looked at, and how to get to it. */
interface Place {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/**
 * The first place in a decoded slot that holds such text, as a failure. It looks at what the handler would get, so that an
 * undeclared property, which is dropped, is nobody's fault. It keeps its own stack: values may be nested deeply.
 */
export function findUnstorable(slot: unknown): ValidationFailure | undefined {
  const places: Place[] = [{ value: slot, key: "$", parent: undefined }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value } = place;
    if (typeof value === "string") {
      if (isUnstorable(value)) return failureAt(place, "string");
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) {
        places.push({ value: value[index] as unknown, key: index, parent: place });
      }
    } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      for (const [key, member] of Object.entries(value).toReversed()) {
        const next: Place = { value: member, key, parent: place };
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

/** The text itself is not shown: it may be sensitive, and it is what could not be shown well. */
function failureAt(place: Place, what: "string" | "key"): ValidationFailure {
  return {
    path: pathOf(place),
    expected: `${what} without U+0000 and unpaired surrogates`,
    received: `${what} with one of them`,
    rule: "characters",
    suggestion: "Leave the character out",
  };
}

function pathOf(place: Place): string {
  const places: Place[] = [];
  for (let at: Place | undefined = place; at?.parent !== undefined; at = at.parent) places.push(at);
  return places.reduceRight(
    (path, { key }) => (typeof key === "number" ? itemPath(path, key) : memberPath(path, key)),
    "$",
  );
}
