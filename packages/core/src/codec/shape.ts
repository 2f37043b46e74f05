import type { StringTest } from "./string-test.ts";

/**
 * Form of a value: `wire` is parsed JSON, and `value` is what handlers receive and return, such as a `Date` or a
 * `bigint`.
 */
export type Form = "wire" | "value";

/** Names of `@format`. */
export type FormatName = "email" | "uri" | "uuid" | "date" | "date-time" | "ipv4" | "ipv6";

/**
 * Type as data, from which `explain` finds the reasons why a value is invalid. A generated function, made
 * from the same type, decides if a value is valid, because this is faster.
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

/** Shape of a type that has no rules, such as a boolean. */
export interface SimpleShape {
  readonly kind: "unknown" | "never" | "null" | "boolean" | "date" | "bytes";
}

/** String with its rules. */
export interface StringShape extends TextRules {
  readonly kind: "string";
  /** Present if the string is the key of a value, not a value itself. Failures then say "key". */
  readonly isKey?: true;
}

/** Rules of strings. Lengths count code points. */
export interface TextRules {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: FormatName;
  readonly pattern?: RegExp;
  /** Phrase of messages in place of the pattern, for a decimal number. */
  readonly words?: string;
  /** Bounds of a decimal number, which the pattern contains. */
  readonly bounds?: DecimalBounds;
}

/** Bounds of a decimal number as text: `{ minimum: "0.50" }`. */
export type DecimalBounds = {
  readonly [Name in "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"]?: string;
};

/** Number or bigint with its rules. */
export interface NumberShape {
  readonly kind: "number" | "bigint";
  readonly integer?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** Literal type: exactly one value is valid. */
export interface LiteralShape {
  readonly kind: "literal";
  readonly value: string | number | boolean | bigint;
}

/** Template literal type. */
export interface TemplateShape extends TextRules {
  readonly kind: "template";
  readonly texts: StringTest;
  /** Source in TypeScript, without the backticks: `user-${number}`. */
  readonly source: string;
}

/** Array whose items all have the same shape. */
export interface ArrayShape {
  readonly kind: "array";
  readonly element: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: true;
  /**
   * Generated check of an item in wire form. Present if items have nested values. `explain` skips the items
   * for which the check returns true.
   */
  readonly isItem?: (item: unknown) => boolean;
}

/** Array with a shape for each item. At most one element is a rest element, which matches any number of items. */
export interface TupleShape {
  readonly kind: "tuple";
  readonly elements: readonly TupleElementShape[];
}

/** Returns the minimum and maximum number of items. The maximum is `undefined` if the tuple has a rest element. */
export function tupleLength({ elements }: TupleShape): {
  readonly least: number;
  readonly most: number | undefined;
} {
  return {
    least: elements.filter((element) => !element.optional && !element.rest).length,
    most: elements.some((element) => element.rest) ? undefined : elements.length,
  };
}

/** Element of a tuple. */
export interface TupleElementShape {
  readonly shape: Shape;
  readonly optional?: true;
  readonly rest?: true;
}

/** Object with declared properties and index signatures. */
export interface ObjectShape {
  readonly kind: "object";
  readonly name?: string;
  readonly properties: readonly PropertyShape[];
  /** Index signatures by precedence. A value must be valid for every signature that accepts its key. */
  readonly index?: readonly IndexShape[];
  /** Generated function that reports invalid declared properties of a value in wire form. */
  readonly explain?: (value: Readonly<Record<string, unknown>>, explainer: ObjectExplainer) => void;
}

/** Reports the invalid properties of one object in wire form. A generated function checks the properties. */
export interface ObjectExplainer {
  /** Reports that a property is invalid or missing, if its type has no nested values. `position` is its index. */
  refuse(position: number, value: unknown): void;
  /** Checks a property whose value is an object or an array. `position` is the index of the property in the list of the shape. */
  visit(position: number, value: unknown): void;
}

/** Index signature: the accepted keys, and the shape of their values. */
export interface IndexShape {
  readonly keys: "string" | "number" | StringTest;
  /** Rules that every accepted key must satisfy. */
  readonly key?: StringShape;
  readonly shape: Shape;
}

/** Declared property of an object. */
export interface PropertyShape {
  readonly key: string;
  readonly shape: Shape;
  /**
   * `always`: the property may be absent in requests and in handlers' values. `input`: the property may be absent
   * only in requests, because a default or the server sets the value.
   */
  readonly optional?: "always" | "input";
  /** Present if the value must never be shown. */
  readonly sensitive?: true;
}

/** Union of shapes. */
export interface UnionShape {
  readonly kind: "union";
  /** Members of the union. Nested unions are flattened, and members that no value satisfies are left out. */
  readonly members: readonly Shape[];
  /** Properties whose values distinguish the object members, in the order in which they are checked. */
  readonly discriminants?: readonly string[];
}

/** Named type. Shapes can be recursive only through references. */
export interface ReferenceShape {
  readonly kind: "reference";
  readonly to: () => Shape;
  /** Present if the type can contain itself. Entering such a type counts towards `MAX_DEPTH`. */
  readonly recursive?: true;
}

/** Returns the shape that a reference points to, or the shape itself. */
export function resolve(shape: Shape): Exclude<Shape, ReferenceShape> {
  return shape.kind === "reference" ? resolve(shape.to()) : shape;
}

/**
 * Returns true if all values of a shape can be listed: literals, `null` and booleans. A bigint literal does not count,
 * because it has two wire forms.
 */
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

/** Returns true if values of the shape may contain a sensitive property. */
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
