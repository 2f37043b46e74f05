import { coerceNumber } from "./coerce.ts";
import { tooLongPart } from "./email.ts";
import { hasFormat } from "./formats.ts";
import type { FormatName, NumberShape, Shape, StringShape } from "./shape.ts";
import { resolve } from "./shape.ts";
import { countCodePoints } from "./text.ts";
import { count } from "./describe.ts";

const EXAMPLES: Readonly<Record<FormatName, string>> = {
  email: "name@example.com",
  uri: "https://example.com/",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

/** Returns advice for an invalid value, or `undefined` if there is nothing to add to the expected type. */
export function suggest(shape: Shape, value: unknown): string | undefined {
  const resolved = resolve(shape);
  switch (resolved.kind) {
    case "string":
      return suggestString(resolved, value);
    case "number":
      return suggestNumber(resolved, value);
    case "boolean":
      return value === "true" || value === "false" ? "write it without quotes" : undefined;
    case "date":
      return `write it like "${EXAMPLES["date-time"]}"`;
    case "union":
      return suggestMember(resolved.members, value);
    default:
      return undefined;
  }
}

function suggestString(shape: StringShape, value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return "write it in quotes";
  if (typeof value !== "string") return undefined;
  const length = countCodePoints(value);
  if (shape.minLength !== undefined && length < shape.minLength) {
    return `make it at least ${count(shape.minLength - length, "character")} longer`;
  }
  if (shape.maxLength !== undefined && length > shape.maxLength) {
    return `make it at least ${count(length - shape.maxLength, "character")} shorter`;
  }
  if (shape.format === undefined || hasFormat(shape.format, value)) return undefined;
  const tooLong = shape.format === "email" ? tooLongPart(value) : undefined;
  return tooLong ?? `write it like "${EXAMPLES[shape.format]}"`;
}

function suggestNumber(shape: NumberShape, value: unknown): string | undefined {
  if (typeof value === "string") {
    return typeof coerceNumber(value) === "number" ? "write it without quotes" : undefined;
  }
  if (typeof value !== "number") return undefined;
  if (shape.integer && !Number.isInteger(value)) return "use an integer";
  if (shape.minimum !== undefined && value < shape.minimum) return `use ${shape.minimum} or more`;
  if (shape.maximum !== undefined && value > shape.maximum) return `use ${shape.maximum} or less`;
  return undefined;
}

/** Returns a similar literal as a suggestion. If there is none, returns the advice for the only member that has any. */
function suggestMember(members: readonly Shape[], value: unknown): string | undefined {
  if (typeof value === "string") {
    const texts: string[] = [];
    for (const member of members) {
      const resolved = resolve(member);
      if (resolved.kind === "literal" && typeof resolved.value === "string") texts.push(resolved.value);
    }
    const near = closest(value, texts);
    if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  }
  let only: string | undefined;
  for (const member of members) {
    const advice = suggest(member, value);
    if (advice === undefined) continue;
    if (only !== undefined) return undefined;
    only = advice;
  }
  return only;
}

/** Returns the most similar candidate, ignoring case. At most a third of its characters may differ. */
export function closest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  const lowered = text.toLowerCase();
  for (const candidate of candidates) {
    const most = Math.min(Math.floor(candidate.length / 3), bestDistance - 1);
    // The difference in length is a lower bound of the distance.
    if (candidate.length > LONGEST || Math.abs(candidate.length - text.length) > most) continue;
    const distance = editDistance(lowered, candidate.toLowerCase(), most);
    if (distance <= most) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Maximum length of strings to compare. `row` is longer, because the lower-case form of a string can be longer than the
 * string.
 */
const LONGEST = 64;
const row = new Uint8Array(3 * LONGEST + 1);

/** Returns the Levenshtein distance, or some number above `most` if the distance is greater than `most`. */
function editDistance(from: string, to: string, most: number): number {
  for (let j = 0; j <= to.length; j++) row[j] = j;
  for (let i = 1; i <= from.length; i++) {
    let diagonal = row[0] as number;
    let least = (row[0] = i);
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] as number;
      const replaced = diagonal + (from.charCodeAt(i - 1) === to.charCodeAt(j - 1) ? 0 : 1);
      const here = Math.min(replaced, above + 1, (row[j - 1] as number) + 1);
      row[j] = here;
      diagonal = above;
      if (here < least) least = here;
    }
    // The minimum of a row never decreases from row to row.
    if (least > most) return least;
  }
  return row[to.length] as number;
}
