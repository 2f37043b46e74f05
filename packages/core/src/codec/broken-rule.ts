import type { ValidationLimit, ValidationLimitValue, ValidationRule } from "@kit/types";

import { COLUMN_LIMIT, isBigIntColumn, MAX_BIGINT_CHARACTERS, toBigInt } from "./bigint.ts";
import { compareDecimals } from "./decimal.ts";
import { MAX_DEPTH } from "./depth.ts";
import { hasFormat } from "./formats.ts";
import { isMultipleOf } from "./number.ts";
import { isObject } from "./object.ts";
import type { ScalarShape } from "./rules.ts";
import { hasType } from "./rules.ts";
import type {
  ArrayShape,
  DecimalBounds,
  Form,
  LiteralShape,
  NumberShape,
  Shape,
  TextRules,
  TupleShape,
} from "./shape.ts";
import { resolve, tupleLength } from "./shape.ts";
import { countCodePoints } from "./text.ts";
import { hasUniqueItems } from "./unique.ts";

/** Rule that a value breaks, with the argument of the rule: `minLength` with the argument 1. */
export interface BrokenRule {
  readonly rule: ValidationRule;
  readonly limit?: ValidationLimit;
}

type Resolved = ReturnType<typeof resolve>;

/**
 * Maximum number of values in the limit of `enum`. A longer list is left out, because every failure in a response would
 * repeat it.
 */
const MAX_VALUES = 50;

/** Pattern of a bigint in JSON, as in the OpenAPI document. */
const DIGITS = "^-?[0-9]+$";

/**
 * Returns the first rule of a shape that a value breaks: first the type, then the rules in the order in which
 * `expected` lists them. The value must be invalid. `crates/kit-runtime/src/check/broken_rule.rs` does the
 * same in Rust.
 */
export function brokenRule(shape: Shape, value: unknown, form: Form): BrokenRule {
  if (value === undefined) return { rule: "required" };
  const resolved = resolve(shape);
  return ownRule(resolved, value, form) ?? ofType([resolved], form);
}

/** Returns the broken rule of the value itself. `undefined` if only nested values can be invalid. */
function ownRule(shape: Resolved, value: unknown, form: Form): BrokenRule | undefined {
  switch (shape.kind) {
    case "unknown":
      return { rule: "maxDepth", limit: MAX_DEPTH };
    case "never":
      return { rule: "unknown" };
    case "literal":
      return { rule: "const", limit: literalLimit(shape) };
    case "union":
      return unionRule(shape, value, form);
    case "array":
      return Array.isArray(value) ? itemsRule(shape, value) : ofType([shape], form);
    case "tuple":
      return Array.isArray(value) ? lengthRule(shape, value.length) : ofType([shape], form);
    case "object":
      return isObject(value) ? undefined : ofType([shape], form);
    default:
      return scalarRule(shape, value, form);
  }
}

function scalarRule(
  shape: Exclude<ScalarShape, LiteralShape>,
  value: unknown,
  form: Form,
): BrokenRule | undefined {
  if (!isOfType(shape, value, form)) return ofType([shape], form);
  switch (shape.kind) {
    case "date":
      return { rule: "format", limit: "date-time" };
    case "bytes":
      return { rule: "contentEncoding", limit: "base64" };
    case "string":
      return textRule(shape, value as string);
    case "template":
      if (!shape.texts.test(value as string)) return { rule: "template", limit: shape.source };
      return textRule(shape, value as string);
    case "number":
      return numberRule(shape, value as number);
    case "bigint":
      if (!hasType(shape, value, form)) return digitsRule(value as string);
      return boundsRule(shape, toBigInt(value));
    default:
      return undefined;
  }
}

function textRule(shape: TextRules, text: string): BrokenRule | undefined {
  const { minLength, maxLength, format, pattern } = shape;
  const length = minLength === undefined && maxLength === undefined ? 0 : countCodePoints(text);
  if (minLength !== undefined && length < minLength) return { rule: "minLength", limit: minLength };
  if (maxLength !== undefined && length > maxLength) return { rule: "maxLength", limit: maxLength };
  if (format !== undefined && !hasFormat(format, text)) return { rule: "format", limit: format };
  if (pattern === undefined || pattern.test(text)) return undefined;
  return shape.words === undefined
    ? { rule: "pattern", limit: pattern.source }
    : decimalRule(shape.bounds ?? {}, text);
}

/** Returns the broken rule of a decimal number as text: a bound, or else the digits. */
function decimalRule(bounds: DecimalBounds, text: string): BrokenRule {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const compared = (bound: string | undefined): number | undefined =>
    bound === undefined ? undefined : compareDecimals(text, bound);
  const [least, most] = [compared(minimum), compared(maximum)];
  if (least !== undefined && least < 0) return { rule: "minimum", limit: minimum! };
  if (most !== undefined && most > 0) return { rule: "maximum", limit: maximum! };
  const [above, below] = [compared(exclusiveMinimum), compared(exclusiveMaximum)];
  if (above !== undefined && above <= 0) return { rule: "exclusiveMinimum", limit: exclusiveMinimum! };
  if (below !== undefined && below >= 0) return { rule: "exclusiveMaximum", limit: exclusiveMaximum! };
  return { rule: "format", limit: "decimal" };
}

function numberRule(shape: NumberShape, number: number): BrokenRule | undefined {
  if (shape.integer && Number.isFinite(number) && !Number.isInteger(number)) {
    return { rule: "type", limit: "integer" };
  }
  const broken = boundsRule(shape, number);
  if (broken !== undefined) return broken;
  const greatest = shape.integer ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  if (number > greatest) return { rule: "maximum", limit: greatest };
  if (number < -greatest) return { rule: "minimum", limit: -greatest };
  return undefined;
}

function boundsRule(shape: NumberShape, number: number | bigint): BrokenRule | undefined {
  if (isBigIntColumn(shape)) {
    // As numbers, these bounds would be printed with rounded digits: 9223372036854776000.
    const least = -BigInt(COLUMN_LIMIT);
    const greatest = BigInt(COLUMN_LIMIT) - 1n;
    if (number < least) return { rule: "minimum", limit: least.toString() };
    if (number > greatest) return { rule: "maximum", limit: greatest.toString() };
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = shape;
  if (minimum !== undefined && number < minimum) return { rule: "minimum", limit: minimum };
  if (maximum !== undefined && number > maximum) return { rule: "maximum", limit: maximum };
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum) {
    return { rule: "exclusiveMinimum", limit: exclusiveMinimum };
  }
  if (exclusiveMaximum !== undefined && number >= exclusiveMaximum) {
    return { rule: "exclusiveMaximum", limit: exclusiveMaximum };
  }
  const isFinite = typeof number === "bigint" || Number.isFinite(number);
  if (multipleOf !== undefined && isFinite && !isMultipleOf(number, multipleOf)) {
    return { rule: "multipleOf", limit: multipleOf };
  }
  return undefined;
}

/**
 * Returns the broken rule of a string that is not a bigint: the string is too long, or contains characters
 * other than digits.
 */
function digitsRule(text: string): BrokenRule {
  return countCodePoints(text) > MAX_BIGINT_CHARACTERS
    ? { rule: "maxLength", limit: MAX_BIGINT_CHARACTERS }
    : { rule: "pattern", limit: DIGITS };
}

function itemsRule(shape: ArrayShape, items: readonly unknown[]): BrokenRule | undefined {
  const { minItems, maxItems } = shape;
  if (minItems !== undefined && items.length < minItems) return { rule: "minItems", limit: minItems };
  if (maxItems !== undefined && items.length > maxItems) return { rule: "maxItems", limit: maxItems };
  if (shape.uniqueItems && !hasUniqueItems(items)) return { rule: "uniqueItems" };
  return undefined;
}

function lengthRule(shape: TupleShape, length: number): BrokenRule | undefined {
  const { least, most } = tupleLength(shape);
  if (length < least) return { rule: "minItems", limit: least };
  if (most !== undefined && length > most) return { rule: "maxItems", limit: most };
  return undefined;
}

/**
 * Returns the broken rule of a union. A union of literals is an `enum`. If exactly one member has the type of the
 * value, the rule of that member is returned. In all other cases, the rule is `anyOf`.
 */
function unionRule(shape: Resolved, value: unknown, form: Form): BrokenRule {
  const members = flatMembers(shape);
  if (members.length === 0) return { rule: "unknown" };
  if (members.every(isListed) && members.some(({ kind }) => kind === "literal")) return enumRule(members);
  const meant = members.filter((member) => isOfType(member, value, form));
  if (meant.length === 0) return ofType(members, form);
  const [only] = meant;
  // A literal among members of other types is only one of several valid forms.
  if (only === undefined || meant.length > 1 || only.kind === "literal") return { rule: "anyOf" };
  return ownRule(only, value, form) ?? { rule: "anyOf" };
}

function flatMembers(shape: Resolved): Resolved[] {
  if (shape.kind !== "union") return shape.kind === "never" ? [] : [shape];
  return shape.members.flatMap((member) => flatMembers(resolve(member)));
}

function isListed({ kind }: Resolved): boolean {
  return kind === "literal" || kind === "null" || kind === "boolean";
}

function enumRule(members: readonly Resolved[]): BrokenRule {
  const values: ValidationLimitValue[] = [];
  for (const member of members) {
    for (const value of listedValues(member)) if (!values.includes(value)) values.push(value);
    if (values.length > MAX_VALUES) return { rule: "enum" };
  }
  const [first] = values;
  return values.length === 1 && first !== undefined
    ? { rule: "const", limit: first }
    : { rule: "enum", limit: values };
}

function listedValues(shape: Resolved): readonly ValidationLimitValue[] {
  if (shape.kind === "boolean") return [true, false];
  return shape.kind === "literal" ? [literalLimit(shape)] : [null];
}

function literalLimit({ value }: LiteralShape): ValidationLimitValue {
  return typeof value === "bigint" ? value.toString() : value;
}

/** Returns the broken rule `type`, with the names of the expected types as its argument. */
function ofType(shapes: readonly Resolved[], form: Form): BrokenRule {
  const names = [...new Set(shapes.map((shape) => typeName(shape, form)))];
  const [first] = names;
  return { rule: "type", limit: names.length === 1 && first !== undefined ? first : names };
}

/** Returns the name of a type in JSON Schema. For handler values, types that JSON lacks have their JavaScript name. */
function typeName(shape: Resolved, form: Form): string {
  switch (shape.kind) {
    case "date":
      return form === "wire" ? "string" : "Date";
    case "bytes":
      return form === "wire" ? "string" : "Uint8Array";
    case "bigint":
      return form === "wire" ? "string" : "bigint";
    case "template":
      return "string";
    case "tuple":
      return "array";
    case "number":
      return shape.integer ? "integer" : "number";
    case "literal":
      return typeof shape.value === "bigint" && form === "wire" ? "string" : typeof shape.value;
    default:
      return shape.kind;
  }
}

/** Returns true if a value has the type of a shape. Ignores the rules. */
function isOfType(shape: Resolved, value: unknown, form: Form): boolean {
  switch (shape.kind) {
    case "unknown":
      return true;
    case "array":
    case "tuple":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "number":
      return typeof value === "number" && !Number.isNaN(value);
    case "bigint":
      return typeof value === typeName(shape, form) || hasType(shape, value, form);
    case "date":
      return form === "wire" ? typeof value === "string" : value instanceof Date;
    case "bytes":
      return form === "wire" ? typeof value === "string" : value instanceof Uint8Array;
    case "null":
      return value === null;
    default:
      return typeof value === typeName(shape, form);
  }
}
