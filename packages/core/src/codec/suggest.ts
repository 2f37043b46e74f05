import { closest } from "./closest.ts";
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

/**
 * Returns a similar literal as a suggestion. If no literal is similar, and only one member has advice,
 * returns the advice for this member.
 */
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
