import { MAX_DEPTH } from "./depth.ts";
import { isNumericKey, isObject, own } from "./object.ts";
import type { ScalarShape } from "./rules.ts";
import { hasKind, keepsRules } from "./rules.ts";
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
 * How well a value fits: what is kept of it counts first, then how specific its scalars are. A value is read as the member of
 * a union with the best fit, of equal ones as the first that is declared. `crates/kit-analysis` has the same rule in Rust.
 */
export interface Fit {
  /** Keys that are kept, at any depth. */
  readonly kept: number;
  /** The sum of what its scalars and declared names weigh. */
  readonly specific: number;
  /** Of a union: the position of the member. */
  readonly member?: number;
}

/** How specific each scalar is: a `Date` is preferred to any text. */
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

/** A string with a rule is preferred to any text, also to base64. */
const SPECIFIC_RULED_STRING = 3;

/**
 * Finds the members that values are. Each part of a value is held against each shape once, whatever asks for it: without that,
 * a recursive union would try every part as often as there are ways to it. One matcher serves the reading or writing of one
 * value, and must not outlive it: it knows parts by their identity.
 */
export class Matcher {
  readonly #form: Form;
  /** Whether rules (doc tags) are left aside, so that types alone count. */
  readonly #kindsOnly: boolean;
  readonly #known: Map<Shape, Map<object, Fit | undefined>> = new Map();
  /** How many parts were held against shapes; for tests of the bound. */
  steps = 0;

  constructor(form: Form, kindsOnly: boolean = false) {
    this.#form = form;
    this.#kindsOnly = kindsOnly;
  }

  /** How well a value fits; nothing where it does not. `depth` counts the recursive types that were entered on the way. */
  fit(shape: Shape, value: unknown, depth: number): Fit | undefined {
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
  ): Fit | undefined {
    if (typeof value !== "object" || value === null) return this.#partFit(shape, value, depth);
    let known = this.#known.get(shape);
    if (known === undefined) this.#known.set(shape, (known = new Map()));
    else if (known.has(value)) return known.get(value);
    // Met again on its own way, a value holds itself, and has no JSON form.
    known.set(value, undefined);
    const found = this.#partFit(shape, value, depth);
    known.set(value, found);
    return found;
  }

  #partFit(
    shape: ObjectShape | ArrayShape | TupleShape | UnionShape,
    value: unknown,
    depth: number,
  ): Fit | undefined {
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

  #scalarFit(shape: ScalarShape, value: unknown): Fit | undefined {
    if (!hasKind(shape, value, this.#form)) return undefined;
    if (!this.#kindsOnly && !keepsRules(shape, value)) return undefined;
    if (shape.kind === "unknown") return { kept: countKeys(value), specific: 0 };
    const ruled = shape.kind === "string" && Object.keys(shape).length > 1;
    return { kept: 0, specific: ruled ? SPECIFIC_RULED_STRING : SPECIFIC[shape.kind] };
  }

  #objectFit(shape: ObjectShape, value: object, depth: number): Fit | undefined {
    let [kept, specific] = [0, 0];
    for (const property of shape.properties) {
      const item = readProperty(value, property.key);
      if (item === undefined) {
        if (mayMiss(property, this.#form)) continue;
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

  /** The fit of the first signature that takes a key, where all that take it fit; of a key that none takes, nothing is kept. */
  #entryFit(index: readonly IndexShape[], key: string, item: unknown, depth: number): Fit | undefined {
    let found: Fit | undefined;
    for (const signature of index) {
      if (!takesKey(signature, key)) continue;
      if (signature.key !== undefined && !this.#kindsOnly && !keepsRules(signature.key, key))
        return undefined;
      const fit = this.fit(signature.shape, item, depth);
      if (fit === undefined) return undefined;
      found ??= { kept: fit.kept + 1, specific: fit.specific };
    }
    return found ?? { kept: 0, specific: 0 };
  }

  #arrayFit(shape: ArrayShape, value: readonly unknown[], depth: number): Fit | undefined {
    if (!this.#kindsOnly && !keepsItemRules(shape, value)) return undefined;
    let [kept, specific] = [0, 0];
    for (let index = 0; index < value.length; index++) {
      const fit = this.fit(shape.element, value[index], depth);
      if (fit === undefined) return undefined;
      kept += fit.kept;
      specific += fit.specific;
    }
    return { kept, specific };
  }

  #tupleFit(shape: TupleShape, value: readonly unknown[], depth: number): Fit | undefined {
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

  #unionFit(shape: UnionShape, value: unknown, depth: number): Fit | undefined {
    let best: Fit | undefined;
    for (const member of narrow(shape, value, this.#form).members) {
      const fit = this.fit(shape.members[member] as Shape, value, depth);
      if (fit !== undefined && (best === undefined || isBetter(fit, best))) {
        best = { kept: fit.kept, specific: fit.specific, member };
      }
    }
    return best;
  }
}

/** Whether a value fits a union, tried with each part once; for recursive unions whose members no property tells apart. */
export function fitsUnion(union: Shape, value: unknown, depth: number): boolean {
  return new Matcher("wire").fit(union, value, depth) !== undefined;
}

/** What the reading or writing of one value remembers of the members that its parts are. */
export class Picks {
  readonly #exact: Matcher;
  /** Handlers' values may break rules, which are checked in development only; then the types decide. */
  readonly #loose: Matcher | undefined;

  constructor(form: Form) {
    this.#exact = new Matcher(form);
    this.#loose = form === "value" ? new Matcher(form, true) : undefined;
  }

  /** The position of the member that a value is; -1 where it is none. */
  of(union: UnionShape, value: unknown): number {
    const fit = this.#exact.fit(union, value, -1) ?? this.#loose?.fit(union, value, -1);
    return fit?.member ?? -1;
  }
}

/** The members that a value can be, as far as its kind and its discriminants say. */
export interface Narrowed {
  /** Positions of the members. */
  readonly members: readonly number[];
  /** Positions of the members of the value's kind. */
  readonly possible: readonly number[];
  /** A property that holds what no member lists for it, and the shapes of what they list. */
  readonly unknown?: { readonly key: string; readonly shapes: readonly Shape[] };
}

/** The members of a union that a value can be, without a look at more than its discriminants. */
export function narrow(shape: UnionShape, value: unknown, form: Form): Narrowed {
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

/** The property that lists what it can hold. */
function tagOf(shape: Shape, key: string): PropertyShape | undefined {
  if (shape.kind !== "object") return undefined;
  const property = shape.properties.find((candidate) => candidate.key === key);
  return property !== undefined && isListable(property.shape) ? property : undefined;
}

function admits(property: PropertyShape, tag: unknown, form: Form): boolean {
  if (tag === undefined) return mayMiss(property, form);
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

function isBetter(a: Fit, b: Fit): boolean {
  return a.kept > b.kept || (a.kept === b.kept && a.specific > b.specific);
}

/** Whether a value has parts that are checked one by one. */
export function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isRecord(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof Date) && !(value instanceof Uint8Array);
}

/** Whether a member of a union can be meant by an array or object: one of its kind. */
function mayHold(shape: Shape, value: object): boolean {
  if (shape.kind === "unknown" || shape.kind === "union") return true;
  return Array.isArray(value) ? shape.kind === "array" || shape.kind === "tuple" : shape.kind === "object";
}

/** Handlers may answer with instances of classes, whose getters are inherited; what `Object.prototype` has never counts. */
export function readProperty(value: object, key: string): unknown {
  return key in Object.prototype ? own(value, key) : (value as Readonly<Record<string, unknown>>)[key];
}

/** Whether a property may be absent. */
export function mayMiss(property: PropertyShape, form: Form): boolean {
  return property.optional === "always" || (property.optional === "input" && form === "wire");
}

/** The keys of an object that are no declared properties, and what they hold. */
export function* otherEntries(shape: ObjectShape, value: object): Generator<[string, unknown]> {
  const declared = new Set(shape.properties.map((property) => property.key));
  for (const key of Object.keys(value)) {
    if (key !== "__proto__" && !declared.has(key)) {
      const item = (value as Readonly<Record<string, unknown>>)[key];
      if (item !== undefined) yield [key, item];
    }
  }
}

/** Whether an index signature takes a key. */
export function takesKey({ keys }: IndexShape, key: string): boolean {
  return keys === "string" || (keys === "number" ? isNumericKey(key) : keys.test(key));
}

/** Whether an array keeps the rules of its type; its items are another matter. */
export function keepsItemRules(shape: ArrayShape, value: readonly unknown[]): boolean {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
  if (value.length < minItems || value.length > maxItems) return false;
  return shape.uniqueItems === undefined || hasUniqueItems(value);
}

/** Whether an array has a length that a tuple can have. */
export function hasTupleLength(shape: TupleShape, length: number): boolean {
  const { least, most } = tupleLength(shape);
  return length >= least && (most === undefined || length <= most);
}

/** The shape of an item of a tuple whose length is right. */
export function elementAt({ elements }: TupleShape, index: number, length: number): Shape {
  const rest = elements.findIndex((element) => element.rest);
  const after = rest < 0 ? 0 : elements.length - rest - 1;
  const fromEnd = length - index;
  const position = rest < 0 || index < rest ? index : fromEnd <= after ? elements.length - fromEnd : rest;
  return (elements[position] as { readonly shape: Shape }).shape;
}

/** How many keys a value has at any depth. Walks with a list of its own: the depth of an `unknown` is not bounded. */
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
