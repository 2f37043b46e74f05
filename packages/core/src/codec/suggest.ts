import { coerceNumber } from "./coerce.ts";
import { hasFormat } from "./formats.ts";
import type { FormatName, NumberShape, Shape, StringShape } from "./shape.ts";
import { resolve } from "./shape.ts";
import { countCodePoints } from "./text.ts";
import { count } from "./words.ts";

const EXAMPLES: Readonly<Record<FormatName, string>> = {
  email: "name@example.com",
  uri: "https://example.com/",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

/** How to repair a value that does not fit; nothing where there is nothing better to say than what was expected. */
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
  if (shape.format !== undefined && !hasFormat(shape.format, value))
    return `write it like "${EXAMPLES[shape.format]}"`;
  return undefined;
}

function suggestNumber(shape: NumberShape, value: unknown): string | undefined {
  if (typeof value === "string") {
    return typeof coerceNumber(value) === "number" ? "write it without quotes" : undefined;
  }
  if (typeof value !== "number") return undefined;
  if (shape.integer && !Number.isInteger(value)) return "use a whole number";
  if (shape.minimum !== undefined && value < shape.minimum) return `use ${shape.minimum} or more`;
  if (shape.maximum !== undefined && value > shape.maximum) return `use ${shape.maximum} or less`;
  return undefined;
}

/** The one literal that the value was probably meant to be, or the advice of the only member that is of its kind. */
function suggestMember(members: readonly Shape[], value: unknown): string | undefined {
  if (typeof value === "string") {
    const texts = members.map(resolve).flatMap((member) => {
      return member.kind === "literal" && typeof member.value === "string" ? [member.value] : [];
    });
    const near = closest(value, texts);
    if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  }
  const advice = members.map((member) => suggest(member, value)).filter((text) => text !== undefined);
  return advice.length === 1 ? advice[0] : undefined;
}

/** The candidate that is at most a third of its letters away, upper and lower case being equal. */
export function closest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length > 64) continue;
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance * 3 <= candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein's distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
