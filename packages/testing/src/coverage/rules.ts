import { explain, type Shape } from "@kit/core/codec";

import type { Slot } from "./contracts.ts";

/** Shape of any kind except a reference to another shape. */
export type Resolved = Exclude<Shape, { kind: "reference" }>;

/** Rule of a type that a value satisfies or breaks. */
export interface Rule {
  /** Name as in the contract: `maxLength 200`. */
  readonly name: string;
  readonly breaks: (value: unknown) => boolean;
}

/** Smallest or largest value, length or number of items that a rule allows. */
export interface Bound {
  /** Name of the rule. */
  readonly name: string;
  /** Returns true if a value is exactly at the bound. */
  readonly isMet: (value: unknown) => boolean;
}

/** Position of a type in a request. The position limits the values that a request can send. */
export interface Position {
  readonly slot: Slot;
  /** True for the type of a complete slot, such as the body. */
  readonly isRoot: boolean;
  /** True for an item of a list. In a query, an item is one value of a repeated key. */
  readonly isItem: boolean;
  /** True for a member of a union. A value of a wrong type breaks the rule of the union and not a rule of the member. */
  readonly isMember: boolean;
}

/** Maximum length of any valid email address: 64 characters, the `@`, and a domain of 253 characters. */
const LONGEST_EMAIL = 64 + 1 + 253;

const TEXT_RULES = ["minLength", "maxLength", "format", "pattern"] as const;
const NUMBER_RULES = [
  "integer",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
] as const;
const LIST_RULES = ["minItems", "maxItems", "uniqueItems"] as const;

export function resolve(shape: Shape): Resolved {
  return shape.kind === "reference" ? resolve(shape.to()) : shape;
}

/** Returns true if a value in wire form is valid for the type. */
export function fits(shape: Shape, value: unknown): boolean {
  return explain(shape, value, "wire", 1).length === 0;
}

/** Returns the property `expected` of failures that values of this type have. */
export function expectedOf(shape: Shape): string {
  return explain(shape, undefined, "wire", 1)[0]?.expected ?? "any value";
}

/**
 * Returns the members of a union without `null`. For any other type, returns a list of the type alone. `takesNull` is true if the type
 * accepts `null`.
 */
export function alternatives(shape: Resolved): {
  readonly others: readonly Shape[];
  readonly takesNull: boolean;
} {
  const members = flat(shape);
  const others = members.filter((member) => resolve(member).kind !== "null");
  return {
    others,
    takesNull: others.length < members.length || others.some((one) => resolve(one).kind === "unknown"),
  };
}

function flat(shape: Shape): readonly Shape[] {
  const resolved = resolve(shape);
  return resolved.kind === "union" ? resolved.members.flatMap(flat) : [shape];
}

/**
 * Returns the rules of a type that a request can break at this position. The rules of nested types are not included.
 */
export function rulesOf(shape: Resolved, position: Position): Rule[] {
  const { slot, isRoot, isMember } = position;
  // The query as a whole has no rule: every request has one, and it is always an object. The same is true for params.
  if (isRoot && slot !== "body") return [];
  const { others, takesNull } = alternatives(shape);
  const rules: Rule[] = [];
  if (slot === "body" && !takesNull && !isMember)
    rules.push({ name: "null", breaks: (value) => value === null });
  const isNull = (value: unknown): boolean => slot === "body" && value === null;
  const [only] = others;
  if (only === undefined) return rules;
  if (others.length > 1) {
    const breaks = (value: unknown): boolean => !isNull(value) && !fits(shape, value);
    return [...rules, { name: `enum: ${expectedOf(shape)}`, breaks }];
  }
  const resolved = resolve(only);
  const kind = kindOf(resolved);
  if (kind !== undefined && !isMember && canBeOfAnotherKind(resolved, position)) {
    rules.push({ name: kind.name, breaks: (value) => !isNull(value) && !kind.fits(value) });
  }
  const isOfKind = (value: unknown): boolean => kind === undefined || kind.fits(value);
  for (const [name, lone] of singleRules(resolved)) {
    if (isBreakable(resolved, name, position)) {
      rules.push({ name: named(name, lone), breaks: (value) => isOfKind(value) && !fits(lone, value) });
    }
  }
  return rules;
}

/** Returns the bounds of a type that a valid value can reach at this position. */
export function boundsOf(shape: Resolved, position: Position): Bound[] {
  const { others } = alternatives(shape);
  const [only] = others;
  if (only === undefined || others.length > 1 || (position.isRoot && position.slot !== "body")) return [];
  const resolved = resolve(only);
  const found: Bound[] = [];
  for (const [rule, lone] of singleRules(resolved)) {
    const bound: unknown = Reflect.get(lone, rule);
    // Some bounds are not valid values themselves, for example a minimum that is not a multiple of `multipleOf`.
    if (resolved.kind === "number" && !fits(resolved, bound)) continue;
    if (typeof bound !== "number" || !/^(?:min|max)/.test(rule) || !isBreakable(resolved, rule, position, 0))
      continue;
    found.push({ name: named(rule, lone), isMet: (value) => sizeOf(value, resolved) === bound });
  }
  return found;
}

/** Returns the number that a bound limits: the number of characters or items, or the value of a number. */
function sizeOf(value: unknown, { kind }: Resolved): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (kind === "number" || kind === "bigint") return Number(value);
  return typeof value === "string" ? [...value].length : undefined;
}

/** Splits a type into types with one rule each: a string with `minLength` and `pattern` gives two types. */
function singleRules(shape: Resolved): (readonly [rule: string, shape: Shape])[] {
  const names: readonly string[] =
    shape.kind === "string" || shape.kind === "template"
      ? TEXT_RULES
      : shape.kind === "number" || shape.kind === "bigint"
        ? NUMBER_RULES
        : shape.kind === "array"
          ? LIST_RULES
          : [];
  const rules = names.filter((name) => Reflect.get(shape, name) !== undefined);
  const bare = Object.fromEntries(
    Object.entries(shape).filter(([name]) => !names.includes(name) && name !== "isItem"),
  );
  const base = shape.kind === "array" ? { ...bare, element: { kind: "unknown" } } : bare;
  const lone = rules.map((name) => [name, { ...base, [name]: Reflect.get(shape, name) } as Shape] as const);
  return shape.kind === "tuple" ? [["length", lengthOf(shape)]] : lone;
}

/** Returns a tuple type with the same number of elements, all of type `unknown`. */
function lengthOf(shape: Extract<Shape, { kind: "tuple" }>): Shape {
  return {
    ...shape,
    elements: shape.elements.map((element) => ({ ...element, shape: { kind: "unknown" } })),
  };
}

function named(rule: string, shape: Shape): string {
  const value: unknown = Reflect.get(shape, rule);
  if (value === true || value === undefined) return rule;
  return `${rule} ${value instanceof RegExp ? value.source : String(value as string | number)}`;
}

/** Returns true if a request can exceed the bound of a rule by `distance` without breaking another rule first. */
function isBreakable(shape: Resolved, rule: string, { slot, isItem }: Position, distance = 1): boolean {
  const bound: unknown = Reflect.get(shape, rule);
  if (typeof bound !== "number") return true;
  // No string is shorter than the empty one, no path has an empty segment, and no query or header can represent an empty list.
  if (rule === "minLength") return bound - distance >= (slot === "params" ? 1 : 0) && bound > 0;
  if (rule === "minItems") return bound - distance >= (slot === "body" || isItem ? 0 : 1) && bound > 0;
  if (rule === "maxLength")
    return Reflect.get(shape, "format") !== "email" || bound + distance <= LONGEST_EMAIL;
  return true;
}

/**
 * Returns true if a request can send a value of another type at this position. Values of params, headers and cookies are always strings, and a
 * query accepts a single string in place of a list.
 */
function canBeOfAnotherKind(shape: Resolved, { slot, isItem }: Position): boolean {
  if (slot === "body") return true;
  if (shape.kind === "array" || shape.kind === "tuple" || shape.kind === "object") return false;
  return shape.kind !== "string" || (slot === "query" && !isItem);
}

interface Kind {
  readonly name: string;
  fits(value: unknown): boolean;
}

/**
 * Returns the basic kind of value that a type accepts, such as a string. Ignores the other rules of the type, such as a
 * maximum length.
 */
function kindOf(shape: Resolved): Kind | undefined {
  switch (shape.kind) {
    case "unknown":
      return undefined;
    case "array":
    case "tuple":
      return { name: "type array", fits: (value) => Array.isArray(value) };
    case "object":
      return {
        name: "type object",
        fits: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      };
    case "string":
      return { name: "type string", fits: (value) => typeof value === "string" };
    case "template": {
      const bare: Shape = { kind: "template", texts: shape.texts, source: shape.source };
      return { name: `template ${shape.source}`, fits: (value) => fits(bare, value) };
    }
    case "number":
    case "bigint": {
      const bare: Shape = { kind: shape.kind };
      return { name: `type ${shape.kind}`, fits: (value) => fits(bare, value) };
    }
    case "date":
      return { name: "format date-time", fits: (value) => fits(shape, value) };
    case "bytes":
      return { name: "format base64", fits: (value) => fits(shape, value) };
    default:
      return { name: `type ${expectedOf(shape)}`, fits: (value) => fits(shape, value) };
  }
}
