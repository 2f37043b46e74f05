import { explain, type Shape } from "@kit/core/codec";

import type { Slot } from "../contracts/tables.ts";

/** A shape that is not a reference. */
export type Resolved = Exclude<Shape, { kind: "reference" }>;

/** Something that a value can keep or break. */
export interface Rule {
  /** As the contract has it: `maxLength 200`. */
  readonly name: string;
  readonly breaks: (value: unknown) => boolean;
}

/** The end of what a rule allows. */
export interface Bound {
  /** The name of its rule. */
  readonly name: string;
  /** Whether a value stands exactly there. */
  readonly isMet: (value: unknown) => boolean;
}

/** Where a shape stands, as far as it says what a request can send there at all. */
export interface Standing {
  readonly slot: Slot;
  /** The whole slot. */
  readonly isRoot: boolean;
  /** An item of a list, which in a query is one of the texts of a repeated key. */
  readonly isItem: boolean;
  /** One of several: what is of another kind breaks the rule of the union, not its own. */
  readonly isMember: boolean;
}

/** No email is longer, whatever a bound says: 64 characters before the `@` and 253 of a domain. */
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

/** Whether a parsed value fits. */
export function fits(shape: Shape, value: unknown): boolean {
  return explain(shape, value, "wire", 1).length === 0;
}

/** What a failure at a place of this shape says is expected there. */
export function expectedOf(shape: Shape): string {
  return explain(shape, undefined, "wire", 1)[0]?.expected ?? "any value";
}

/** The members of a union that are not null, or the shape alone; and whether null is taken. */
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

/** The rules of one place, what lies below it left aside; only those that a request can break there. */
export function rulesOf(shape: Resolved, standing: Standing): Rule[] {
  const { slot, isRoot, isMember } = standing;
  // What has no place of its own in a path or a query is there in every request.
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
  if (kind !== undefined && !isMember && canBeOfAnotherKind(resolved, standing)) {
    rules.push({ name: kind.name, breaks: (value) => !isNull(value) && !kind.fits(value) });
  }
  const isOfKind = (value: unknown): boolean => kind === undefined || kind.fits(value);
  for (const [name, lone] of loneRules(resolved)) {
    if (isBreakable(resolved, name, standing)) {
      rules.push({ name: named(name, lone), breaks: (value) => isOfKind(value) && !fits(lone, value) });
    }
  }
  return rules;
}

/** The bounds of one place that a valid value can stand at. */
export function boundsOf(shape: Resolved, standing: Standing): Bound[] {
  const { others } = alternatives(shape);
  const [only] = others;
  if (only === undefined || others.length > 1 || (standing.isRoot && standing.slot !== "body")) return [];
  const resolved = resolve(only);
  const found: Bound[] = [];
  for (const [rule, lone] of loneRules(resolved)) {
    const bound: unknown = Reflect.get(lone, rule);
    // A least number that is no multiple, say, is nothing that a valid value can be.
    if (resolved.kind === "number" && !fits(resolved, bound)) continue;
    if (typeof bound !== "number" || !/^(?:min|max)/.test(rule) || !isBreakable(resolved, rule, standing, 0))
      continue;
    found.push({ name: named(rule, lone), isMet: (value) => sizeOf(value, resolved) === bound });
  }
  return found;
}

/** What a bound speaks of: characters, items, or the number itself. */
function sizeOf(value: unknown, { kind }: Resolved): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (kind === "number" || kind === "bigint") return Number(value);
  return typeof value === "string" ? [...value].length : undefined;
}

/** The rules that a shape has besides its kind, each as a shape that has no other. */
function loneRules(shape: Resolved): (readonly [rule: string, shape: Shape])[] {
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

/** A tuple of anything. */
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

/** Whether a request can break a rule without breaking another first; `beyond` is how far it must go. */
function isBreakable(shape: Resolved, rule: string, { slot, isItem }: Standing, beyond = 1): boolean {
  const bound: unknown = Reflect.get(shape, rule);
  if (typeof bound !== "number") return true;
  // No text is shorter than none, no path has an empty segment, no query says that a list is empty.
  if (rule === "minLength") return bound - beyond >= (slot === "params" ? 1 : 0) && bound > 0;
  if (rule === "minItems") return bound - beyond >= (slot === "query" && !isItem ? 1 : 0) && bound > 0;
  if (rule === "maxLength")
    return Reflect.get(shape, "format") !== "email" || bound + beyond <= LONGEST_EMAIL;
  return true;
}

/** Texts of a path and of a query are never anything else, and a query has one text where a list is wanted. */
function canBeOfAnotherKind(shape: Resolved, { slot, isItem }: Standing): boolean {
  if (slot === "body") return true;
  if (shape.kind === "array" || shape.kind === "tuple" || shape.kind === "object") return false;
  return shape.kind !== "string" || (slot === "query" && !isItem);
}

interface Kind {
  readonly name: string;
  fits(value: unknown): boolean;
}

/** What kind of value a shape wants, its rules left aside. */
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
