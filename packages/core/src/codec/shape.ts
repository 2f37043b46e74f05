import type { Part } from "./part.ts";
import type { TextTest } from "./template.ts";

/** Which side of the codec a value is on: parsed JSON (`wire`) or what handlers see (`value`: `Date`, `bigint`, bytes). */
export type Form = "wire" | "value";

/** Names of `@format`. */
export type FormatName = "email" | "uri" | "uuid" | "date" | "date-time" | "ipv4" | "ipv6";

/**
 * A type as data. The generated fast check says *whether* a value fits; where it does not, `explain` walks this to say
 * what is wrong. Generated from the same types as the check.
 */
export type Shape =
  | SimpleShape
  | StringShape
  | NumberShape
  | LiteralShape
  | TemplateShape
  | ArrayShape
  | TupleShape
  | ObjectShape
  | UnionShape
  | ReferenceShape;

/** A shape without rules. */
export interface SimpleShape {
  readonly kind: "unknown" | "never" | "null" | "boolean" | "date" | "bytes";
}

/** Text. */
export interface StringShape extends TextRules {
  readonly kind: "string";
  /** The text is the key of a value and not a value itself: failures say so. */
  readonly isKey?: true;
}

/** Rules on texts. Lengths count code points. */
export interface TextRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: FormatName;
  readonly pattern?: RegExp;
}

/** A number or a bigint. */
export interface NumberShape {
  readonly kind: "number" | "bigint";
  readonly integer?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** Exactly one value. */
export interface LiteralShape {
  readonly kind: "literal";
  readonly value: string | number | boolean | bigint;
}

/** A template literal type. */
export interface TemplateShape extends TextRules {
  readonly kind: "template";
  readonly texts: TextTest;
  /** As TypeScript writes it, without the backticks: `user-${number}`. */
  readonly source: string;
}

/** Items of one shape. */
export interface ArrayShape {
  readonly kind: "array";
  readonly element: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  /** The generated check of an item in wire form, where items have parts: `explain` need not walk through those that fit. */
  readonly isItem?: (item: unknown) => boolean;
}

/** Items of a shape each; at most one element is a `rest`. */
export interface TupleShape {
  readonly kind: "tuple";
  readonly elements: readonly TupleElementShape[];
}

/** Returns the least and the greatest number of items; the greatest is absent if an element is a `rest`. */
export function tupleLength({ elements }: TupleShape): {
  readonly least: number;
  readonly most: number | undefined;
} {
  return {
    least: elements.filter((element) => !element.optional && !element.rest).length,
    most: elements.some((element) => element.rest) ? undefined : elements.length,
  };
}

/** An element of a tuple. */
export interface TupleElementShape {
  readonly shape: Shape;
  readonly optional?: true;
  readonly rest?: true;
}

/** Declared properties, and what other keys may hold. */
export interface ObjectShape {
  readonly kind: "object";
  readonly name?: string;
  readonly properties: readonly PropertyShape[];
  /** What other keys may hold, by precedence. A value must fit every signature that takes its key. */
  readonly index?: readonly IndexShape[];
  /** Generated: tells which declared properties of a value in wire form are wrong. */
  readonly explain?: (value: Readonly<Record<string, unknown>>, part: Part) => void;
}

/** An index signature: which keys it takes, and what they hold. */
export interface IndexShape {
  readonly keys: "string" | "number" | TextTest;
  /** The rules that each key which it takes must satisfy. */
  readonly key?: StringShape;
  readonly shape: Shape;
}

/** A declared property. */
export interface PropertyShape {
  readonly key: string;
  readonly shape: Shape;
  /** `always`: may be absent on both sides. `input`: only on the wire, because a default or the system fills it in. */
  readonly optional?: "always" | "input";
  /** Its value may never be shown. */
  readonly sensitive?: true;
}

/** One of several. */
export interface UnionShape {
  readonly kind: "union";
  /** Unions inside of it are taken apart, and what no value can be is left out. */
  readonly members: readonly Shape[];
  /** Properties whose values tell the object members apart, in the order in which they are looked at. */
  readonly discriminants?: readonly string[];
}

/** A named type; the only way in which shapes recurse. */
export interface ReferenceShape {
  readonly kind: "reference";
  readonly to: () => Shape;
  /** The type can contain itself: entering it is counted against `MAX_DEPTH`. */
  readonly recursive?: true;
}

/** The shape itself where it is a reference. */
export function resolve(shape: Shape): Exclude<Shape, ReferenceShape> {
  return shape.kind === "reference" ? resolve(shape.to()) : shape;
}

/** Whether all values of a shape are literals, `null` or booleans. A bigint is none: on the wire it has two forms. */
export function isListable(shape: Shape): boolean {
  const resolved = resolve(shape);
  switch (resolved.kind) {
    case "never":
    case "null":
    case "boolean":
      return true;
    case "literal":
      return typeof resolved.value !== "bigint";
    case "union":
      return resolved.members.every(isListable);
    default:
      return false;
  }
}

/** Whether values of the shape may hold something that must not be shown. */
export function holdsSensitive(shape: Shape, seen: Set<Shape> = new Set()): boolean {
  const resolved = resolve(shape);
  if (seen.has(resolved)) return false;
  seen.add(resolved);
  switch (resolved.kind) {
    case "array":
      return holdsSensitive(resolved.element, seen);
    case "tuple":
      return resolved.elements.some((element) => holdsSensitive(element.shape, seen));
    case "union":
      return resolved.members.some((member) => holdsSensitive(member, seen));
    case "object":
      return (
        resolved.properties.some((property) => property.sensitive ?? holdsSensitive(property.shape, seen)) ||
        (resolved.index ?? []).some((signature) => holdsSensitive(signature.shape, seen))
      );
    default:
      return false;
  }
}
