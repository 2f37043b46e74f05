import { COLUMN_LIMIT, isBigIntColumn } from "./bigint.ts";
import type { ArrayShape, Form, NumberShape, Shape, TextRules, TupleShape } from "./shape.ts";
import { resolve, tupleLength } from "./shape.ts";
import { countCodePoints } from "./text.ts";

/** Maximum number of alternatives to list. */
const MAX_CHOICES = 12;

/** Cached descriptions. Shapes are constants of generated modules, so their number is limited. */
const known: Readonly<Record<Form, WeakMap<Shape, string>>> = { wire: new WeakMap(), value: new WeakMap() };

/** Describes a shape with its rules: `string, 1 to 200 characters`. */
export function describe(shape: Shape, form: Form): string {
  const told = known[form].get(shape);
  if (told !== undefined) return told;
  const words = inWords(shape, form);
  known[form].set(shape, words);
  return words;
}

function inWords(shape: Shape, form: Form): string {
  const resolved = resolve(shape);
  switch (resolved.kind) {
    case "unknown":
      return "any value";
    case "never":
      return "no value at all";
    case "null":
    case "boolean":
      return resolved.kind;
    case "date":
      return form === "wire" ? "RFC 3339 date-time string" : "valid Date of the years 0 to 9999";
    case "bytes":
      return form === "wire" ? "base64 string" : "Uint8Array";
    case "string":
      return describeText(resolved.isKey === undefined ? "string" : "key", resolved);
    case "number":
      return describeNumber(resolved.integer === undefined ? "number" : "integer", resolved);
    case "bigint":
      return describeBigInt(form === "wire" ? "integer as a string of digits" : "bigint", resolved);
    case "literal":
      return typeof resolved.value === "bigint" && form === "value"
        ? `${resolved.value}n`
        : JSON.stringify(typeof resolved.value === "bigint" ? resolved.value.toString() : resolved.value);
    case "template":
      return describeText(`string of the form \`${resolved.source}\``, resolved);
    case "array":
      return describeArray(resolved);
    case "tuple":
      return describeTuple(resolved);
    case "object":
      return resolved.name === undefined ? "object" : `object (${resolved.name})`;
    case "union":
      return alternatives(resolved.members.map((member) => describe(member, form)));
  }
}

/** Joins alternatives: `"a", "b" or "c"`. */
export function alternatives(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  if (distinct.length > MAX_CHOICES) {
    return `${distinct.slice(0, MAX_CHOICES).join(", ")} or one of ${distinct.length - MAX_CHOICES} more`;
  }
  const last = distinct.pop() ?? "no value at all";
  return distinct.length === 0 ? last : `${distinct.join(", ")} or ${last}`;
}

/**
 * Describes a received value: `number 42`, `string of 0 characters`, `nothing`. For a hidden value, shows only its kind
 * and if it is empty.
 *
 * @param text - Noun for a string: `key` for the key of a value.
 */
export function describeReceived(value: unknown, hidden: boolean, text: "string" | "key" = "string"): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value))
    return hidden && value.length > 0 ? "array" : `array of ${count(value.length, "item")}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid Date" : "Date";
  if (value instanceof Uint8Array) return "Uint8Array";
  if (typeof value === "object") return "object";
  if (value === "") return `${text} of 0 characters`;
  if (typeof value === "string" && hidden) return text;
  if (hidden || typeof value === "function" || typeof value === "symbol") return typeof value;
  if (typeof value === "string") return `${text} of ${count(countCodePoints(value), "character")}`;
  if (typeof value === "number" && Object.is(value, -0)) return "number 0";
  return `${typeof value} ${String(value as number | boolean | bigint)}`;
}

/** Returns the noun for a received string in messages: `key` if it is the key of an object entry. */
export function nounOf(shape: Shape): "string" | "key" {
  return shape.kind === "string" && shape.isKey === true ? "key" : "string";
}

/** Returns a count with its noun: `1 item`, `2 items`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function describeText(noun: string, shape: TextRules): string {
  const kind = shape.format === undefined ? noun : `${noun} in ${shape.format} format`;
  const length = range(shape.minLength, shape.maxLength, "character");
  const pattern = shape.pattern === undefined ? undefined : `matching /${shape.pattern.source}/`;
  return listed(kind, length, shape.words ?? pattern);
}

function describeNumber(kind: string, shape: NumberShape): string {
  const bounds =
    shape.minimum !== undefined && shape.maximum !== undefined
      ? [`${shape.minimum} to ${shape.maximum}`]
      : [labelled("at least", shape.minimum), labelled("at most", shape.maximum)];
  return listed(
    kind,
    ...bounds,
    labelled("greater than", shape.exclusiveMinimum),
    labelled("less than", shape.exclusiveMaximum),
    labelled("a multiple of", shape.multipleOf),
  );
}

function describeBigInt(kind: string, shape: NumberShape): string {
  if (!isBigIntColumn(shape)) return describeNumber(kind, shape);
  // As numbers, the bounds of a column would be printed with rounded digits: 9223372036854776000.
  const { minimum: _, exclusiveMaximum: __, ...rest } = shape;
  return describeNumber(`${kind}, ${-BigInt(COLUMN_LIMIT)} to ${BigInt(COLUMN_LIMIT) - 1n}`, rest);
}

function describeArray(shape: ArrayShape): string {
  const items = range(shape.minItems, shape.maxItems, "item");
  return listed("array", items, shape.uniqueItems === undefined ? undefined : "no two of them equal");
}

function describeTuple(shape: TupleShape): string {
  const { least, most } = tupleLength(shape);
  return listed("array", range(least, most, "item"));
}

function range(min: number | undefined, max: number | undefined, noun: string): string | undefined {
  const least = min === 0 ? undefined : min;
  if (max === undefined) return least === undefined ? undefined : `at least ${count(least, noun)}`;
  if (least === undefined) return `at most ${count(max, noun)}`;
  return least === max ? `exactly ${count(max, noun)}` : `${least} to ${count(max, noun)}`;
}

function labelled(label: string, bound: number | undefined): string | undefined {
  return bound === undefined ? undefined : `${label} ${bound}`;
}

function listed(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(", ");
}
