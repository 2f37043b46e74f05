import { MAX_DEPTH } from "./depth.ts";
import { isNumericKey, isObject, ownProperty } from "./object.ts";
import type { ScalarShape } from "./rules.ts";
import { hasType, satisfiesRules } from "./rules.ts";
import type {
  ArrayShape,
  Form,
  IndexShape,
  ObjectShape,
  PropertyShape,
  Shape,
  TupleShape,
  UnionShape,
} from "./shape.ts";
import { isListable, resolve, tupleLength } from "./shape.ts";
import { hasUniqueItems } from "./unique.ts";

/**
 * Quality of a match between a value and a shape. First compares the number of keys in the decoded value, then the
 * specificity of the scalar types. A value is treated as the union member with the best match. If several members
 * match equally well, the first of these members is used. `crates/kit-analysis` implements the same rule in Rust.
 */
export interface MatchQuality {
  /** Number of keys, at any depth, that decoding or encoding the value does not drop. */
  readonly kept: number;
  /** Sum of the weights of the scalar types and of the declared property names that fit. */
  readonly specific: number;
  /** Index of the best union member. Absent if the shape is not a union. */
  readonly member?: number;
}

/** Weight of each scalar type. A `Date` is preferred to a string, for example. */
const SPECIFIC: Readonly<Record<ScalarShape["kind"], number>> = {
  null: 7,
  boolean: 7,
  number: 7,
  literal: 7,
  template: 6,
  date: 5,
  bigint: 4,
  string: 1,
  bytes: 2,
  unknown: 0,
  never: 0,
};

/** Weight of a string with a rule. Such a string is preferred to a string without rules and to base64. */
const SPECIFIC_RULED_STRING = 3;

/**
 * Finds the union members to which values belong. Compares each nested value with each shape only once,
 * because a recursive union would otherwise try a nested value once for each path to it. Use each matcher for
 * one value only: its cache identifies nested values by their identity.
 */
export class UnionMatcher {
  readonly #form: Form;
  /** True if rules (doc tags) are ignored, so that only types count. */
  readonly #kindsOnly: boolean;
  readonly #known: Map<Shape, Map<object, MatchQuality | undefined>> = new Map();
  /** Number of comparisons of values with shapes, for tests of the complexity. */
  steps = 0;

  constructor(form: Form, kindsOnly: boolean = false) {
    this.#form = form;
    this.#kindsOnly = kindsOnly;
  }

  /**
   * Returns the quality of the match, or `undefined` if the value is invalid. `depth` is the number of recursive types
   * entered so far.
   */
  fit(shape: Shape, value: unknown, depth: number): MatchQuality | undefined {
    switch (shape.kind) {
      case "reference":
        if (shape.recursive === undefined) return this.fit(shape.to(), value, depth);
        return depth + 1 < MAX_DEPTH ? this.fit(shape.to(), value, depth + 1) : undefined;
      case "object":
      case "array":
      case "tuple":
      case "union":
        return this.#remembered(shape, value, depth);
      default:
        return this.#scalarFit(shape, value);
    }
  }

  #remembered(
    shape: ObjectShape | ArrayShape | TupleShape | UnionShape,
    value: unknown,
    depth: number,
  ): MatchQuality | undefined {
    if (typeof value !== "object" || value === null) return this.#partFit(shape, value, depth);
    let known = this.#known.get(shape);
    if (known === undefined) this.#known.set(shape, (known = new Map()));
    else if (known.has(value)) return known.get(value);
    // A value that is found again during its own check contains itself, and has no JSON form.
    known.set(value, undefined);
    const found = this.#partFit(shape, value, depth);
    known.set(value, found);
    return found;
  }

  #partFit(
    shape: ObjectShape | ArrayShape | TupleShape | UnionShape,
    value: unknown,
    depth: number,
  ): MatchQuality | undefined {
    this.steps++;
    switch (shape.kind) {
      case "object":
        return isRecord(value) ? this.#objectFit(shape, value, depth) : undefined;
      case "array":
        return Array.isArray(value) ? this.#arrayFit(shape, value, depth) : undefined;
      case "tuple":
        return Array.isArray(value) ? this.#tupleFit(shape, value, depth) : undefined;
      case "union":
        return this.#unionFit(shape, value, depth);
    }
  }

  #scalarFit(shape: ScalarShape, value: unknown): MatchQuality | undefined {
    if (!hasType(shape, value, this.#form)) return undefined;
    if (!this.#kindsOnly && !satisfiesRules(shape, value)) return undefined;
    if (shape.kind === "unknown") return { kept: countKeys(value), specific: 0 };
    const ruled = shape.kind === "string" && Object.keys(shape).length > 1;
    return { kept: 0, specific: ruled ? SPECIFIC_RULED_STRING : SPECIFIC[shape.kind] };
  }

  #objectFit(shape: ObjectShape, value: object, depth: number): MatchQuality | undefined {
    let [kept, specific] = [0, 0];
    for (const property of shape.properties) {
      const item = readProperty(value, property.key);
      if (item === undefined) {
        if (isOptional(property, this.#form)) continue;
        return undefined;
      }
      const fit = this.fit(property.shape, item, depth);
      if (fit === undefined) return undefined;
      kept += fit.kept + 1;
      specific += fit.specific + 1;
    }
    if (shape.index === undefined) return { kept, specific };
    for (const [key, item] of otherEntries(shape, value)) {
      const fit = this.#entryFit(shape.index, key, item, depth);
      if (fit === undefined) return undefined;
      kept += fit.kept;
      specific += fit.specific;
    }
    return { kept, specific };
  }

  /**
   * Returns the match of the first index signature that accepts a key, or `undefined` if any signature that accepts the
   * key refuses the entry. If no signature accepts the key, the entry counts as dropped.
   */
  #entryFit(
    index: readonly IndexShape[],
    key: string,
    item: unknown,
    depth: number,
  ): MatchQuality | undefined {
    let found: MatchQuality | undefined;
    for (const signature of index) {
      if (!acceptsKey(signature, key)) continue;
      if (signature.key !== undefined && !this.#kindsOnly && !satisfiesRules(signature.key, key))
        return undefined;
      const fit = this.fit(signature.shape, item, depth);
      if (fit === undefined) return undefined;
      found ??= { kept: fit.kept + 1, specific: fit.specific };
    }
    return found ?? { kept: 0, specific: 0 };
  }

  #arrayFit(shape: ArrayShape, value: readonly unknown[], depth: number): MatchQuality | undefined {
    if (!this.#kindsOnly && !satisfiesItemRules(shape, value)) return undefined;
    let [kept, specific] = [0, 0];
    for (let index = 0; index < value.length; index++) {
      const fit = this.fit(shape.element, value[index], depth);
      if (fit === undefined) return undefined;
      kept += fit.kept;
      specific += fit.specific;
    }
    return { kept, specific };
  }

  #tupleFit(shape: TupleShape, value: readonly unknown[], depth: number): MatchQuality | undefined {
    if (!hasTupleLength(shape, value.length)) return undefined;
    let [kept, specific] = [0, 0];
    for (let index = 0; index < value.length; index++) {
      const fit = this.fit(elementAt(shape, index, value.length), value[index], depth);
      if (fit === undefined) return undefined;
      kept += fit.kept;
      specific += fit.specific;
    }
    return { kept, specific };
  }

  #unionFit(shape: UnionShape, value: unknown, depth: number): MatchQuality | undefined {
    let best: MatchQuality | undefined;
    for (const member of narrow(shape, value, this.#form).members) {
      const fit = this.fit(shape.members[member] as Shape, value, depth);
      if (fit !== undefined && (best === undefined || isBetter(fit, best))) {
        best = { kept: fit.kept, specific: fit.specific, member };
      }
    }
    return best;
  }
}

/**
 * Returns true if a value is valid for a union. Tries each nested value once. Used for recursive unions without a
 * discriminant.
 *
 * @example
 * ```ts
 * const union: UnionShape = { kind: "union", members: [{ kind: "number" }, { kind: "string" }] };
 * fitsUnion(union, "a", 0); // true
 * fitsUnion(union, true, 0); // false
 * ```
 */
export function fitsUnion(union: Shape, value: unknown, depth: number): boolean {
  return new UnionMatcher("wire").fit(union, value, depth) !== undefined;
}

/**
 * Finds the union members that values belong to, with a cache for decoding or encoding one value.
 *
 * @example
 * ```ts
 * const union: UnionShape = { kind: "union", members: [{ kind: "number" }, { kind: "string" }] };
 * new MemberSelector("value").memberIndex(union, "a"); // 1
 * new MemberSelector("value").memberIndex(union, true); // -1
 * ```
 */
export class MemberSelector {
  readonly #exact: UnionMatcher;
  /**
   * Matcher that ignores rules, for values of handlers that break a rule. kit reports broken rules of such
   * values only in development.
   */
  readonly #loose: UnionMatcher | undefined;

  constructor(form: Form) {
    this.#exact = new UnionMatcher(form);
    this.#loose = form === "value" ? new UnionMatcher(form, true) : undefined;
  }

  /** Returns the index of the union member that a value belongs to. Returns -1 if there is none. */
  memberIndex(union: UnionShape, value: unknown): number {
    const fit = this.#exact.fit(union, value, -1) ?? this.#loose?.fit(union, value, -1);
    return fit?.member ?? -1;
  }
}

/** Union members that a value can belong to, according to its kind (array or object) and its discriminants. */
export interface CandidateMembers {
  /** Indexes of the members of the union whose kind and discriminants fit the value. */
  readonly members: readonly number[];
  /** Indexes of the members that accept the kind of the value. */
  readonly possible: readonly number[];
  /** Discriminant whose value no member declares, and the shapes of the declared values. */
  readonly unknown?: { readonly key: string; readonly shapes: readonly Shape[] };
}

/** Returns the members of a union that a value can belong to. Reads only the discriminants of the value. */
export function narrow(shape: UnionShape, value: unknown, form: Form): CandidateMembers {
  const all = shape.members.map((_, index) => index);
  if (!isContainer(value)) return { members: all, possible: all };
  const possible = all.filter((index) => mayHold(resolve(shape.members[index] as Shape), value));
  let members = possible;
  for (const key of shape.discriminants ?? []) {
    if (members.length < 2 || !isObject(value)) break;
    const tag = readProperty(value, key);
    const tags = members.map((index) => tagOf(resolve(shape.members[index] as Shape), key));
    const listed = tags.filter((property) => property !== undefined);
    if (listed.length < 2) continue;
    const left = members.filter((_, at) => {
      const property = tags[at];
      return property === undefined || admits(property, tag, form);
    });
    const admitted = left.length - (members.length - listed.length);
    members = left;
    if (admitted === 0) {
      return {
        members,
        possible,
        unknown: {
          key,
          shapes: listed.map((property) => property.shape).filter(({ kind }) => kind !== "never"),
        },
      };
    }
  }
  return { members, possible };
}

/** Returns a property of an object shape if all values of the property are literals, `null` or booleans. */
function tagOf(shape: Shape, key: string): PropertyShape | undefined {
  if (shape.kind !== "object") return undefined;
  const property = shape.properties.find((candidate) => candidate.key === key);
  return property !== undefined && isListable(property.shape) ? property : undefined;
}

function admits(property: PropertyShape, tag: unknown, form: Form): boolean {
  if (tag === undefined) return isOptional(property, form);
  return holdsListed(property.shape, tag);
}

function holdsListed(shape: Shape, tag: unknown): boolean {
  const resolved = resolve(shape);
  switch (resolved.kind) {
    case "null":
      return tag === null;
    case "boolean":
      return typeof tag === "boolean";
    case "literal":
      return tag === resolved.value;
    case "union":
      return resolved.members.some((member) => holdsListed(member, tag));
    default:
      return false;
  }
}

function isBetter(a: MatchQuality, b: MatchQuality): boolean {
  return a.kept > b.kept || (a.kept === b.kept && a.specific > b.specific);
}

/** Returns true if a value is an array or an object, so that its nested values are checked one by one. */
export function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isRecord(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof Date) && !(value instanceof Uint8Array);
}

/** Returns true if a shape may accept a value, according to the kind of the value: array or object. */
function mayHold(shape: Shape, value: object): boolean {
  if (shape.kind === "unknown" || shape.kind === "union") return true;
  return Array.isArray(value) ? shape.kind === "array" || shape.kind === "tuple" : shape.kind === "object";
}

/**
 * Reads a property. Handlers may return class instances with inherited getters, so inherited properties count, except
 * those of `Object.prototype`.
 */
export function readProperty(value: object, key: string): unknown {
  return key in Object.prototype
    ? ownProperty(value, key)
    : (value as Readonly<Record<string, unknown>>)[key];
}

/** Returns true if a property may be absent in the given form of the value. */
export function isOptional(property: PropertyShape, form: Form): boolean {
  return property.optional === "always" || (property.optional === "input" && form === "wire");
}

const declaredKeys = new WeakMap<ObjectShape, ReadonlySet<string>>();

/** Returns the keys of the declared properties. A set for each object that is explained would cost more than the search in it. */
function declaredKeysOf(shape: ObjectShape): ReadonlySet<string> {
  let keys = declaredKeys.get(shape);
  if (keys === undefined) {
    keys = new Set(shape.properties.map((property) => property.key));
    declaredKeys.set(shape, keys);
  }
  return keys;
}

/** Yields the entries of an object that are not declared properties. */
export function* otherEntries(shape: ObjectShape, value: object): Generator<[string, unknown]> {
  const declared = declaredKeysOf(shape);
  for (const key of Object.keys(value)) {
    if (key !== "__proto__" && !declared.has(key)) {
      const item = (value as Readonly<Record<string, unknown>>)[key];
      if (item !== undefined) yield [key, item];
    }
  }
}

/** Returns true if an index signature accepts a key. */
export function acceptsKey({ keys }: IndexShape, key: string): boolean {
  return keys === "string" || (keys === "number" ? isNumericKey(key) : keys.test(key));
}

/** Returns true if an array satisfies the rules of its type. Does not check the items. */
export function satisfiesItemRules(shape: ArrayShape, value: readonly unknown[]): boolean {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
  if (value.length < minItems || value.length > maxItems) return false;
  return shape.uniqueItems === undefined || hasUniqueItems(value);
}

/** Returns true if a tuple can have this number of items. */
export function hasTupleLength(shape: TupleShape, length: number): boolean {
  const { least, most } = tupleLength(shape);
  return length >= least && (most === undefined || length <= most);
}

/** Returns the shape of a tuple's item. `length` is the number of items in the value. It tells how many items belong to a rest element. */
export function elementAt({ elements }: TupleShape, index: number, length: number): Shape {
  const rest = elements.findIndex((element) => element.rest);
  const after = rest < 0 ? 0 : elements.length - rest - 1;
  const fromEnd = length - index;
  const position = rest < 0 || index < rest ? index : fromEnd <= after ? elements.length - fromEnd : rest;
  return (elements[position] as { readonly shape: Shape }).shape;
}

/**
 * Returns the number of keys of a value at any depth. Uses a list instead of recursion, because the depth of an
 * `unknown` is not limited.
 */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const seen = new Set<object>([value]);
  let count = 0;
  for (const part of seen) {
    const children: unknown[] = Array.isArray(part) ? part : Object.values(part);
    if (!Array.isArray(part)) count += children.length;
    for (const child of children) {
      if (typeof child === "object" && child !== null) seen.add(child);
    }
  }
  return count;
}
