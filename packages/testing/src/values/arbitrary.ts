import {
  type Form,
  isNumericKey,
  isTimestamp,
  type Shape,
  type TemplatePart,
  type StringTest,
} from "@kit/core/codec";
import * as fc from "fast-check";

import { depthsOf } from "./depths.ts";
import { bigints, numbers } from "./numbers.ts";
import { either, fits, FilteredArbitrary, LazyArbitrary, NoValueError, type ShapeOf } from "./support.ts";
import { dateTimes, moments, readableTexts, texts } from "./texts.ts";
import { toWire } from "./wire.ts";
import { word } from "./words.ts";

/** Options of {@link arbitrary}. */
export interface ValueOptions {
  /**
   * `wire`: values as in a request, after `JSON.parse`. `value`: values as handlers get them, with `Date`, `bigint` and bytes. Default:
   * `wire`.
   */
  readonly form?: Form;
  /** `wide`: all values that the rules allow, often at a bound. `readable`: values that a person would write. Default: `wide`. */
  readonly style?: "wide" | "readable";
  /** Maximum number of nested levels of recursive types, unless the type needs more. Default: 3. */
  readonly depth?: number;
}

/** Maximum number of items above the minimum in arrays without a maximum length. */
const MORE_ITEMS = 3;

/** Marks an optional property or element that a generated value does not have. */
const ABSENT: unique symbol = Symbol("absent");

/**
 * Returns a fast-check arbitrary for the valid values of a type. The same seed gives the same values. Failing values shrink, and values of
 * a type that contains itself are finite.
 *
 * @throws {NoValueError} if the type has no value. If this is not known in advance, the error is thrown when a value is generated.
 */
export function arbitrary(shape: Shape, options: ValueOptions = {}): fc.Arbitrary<unknown> {
  const { form = "wire", style = "wide", depth = 3 } = options;
  const maker = new Maker(shape, form, style === "readable");
  return maker.root(depth);
}

/** Creates the arbitraries for a type and for the types inside of it. */
class Maker {
  readonly #root: Shape;
  readonly #form: Form;
  readonly #readable: boolean;
  readonly #least: (shape: Shape) => number;
  /** Arbitraries that were created before, by type and then by the other arguments of `#of`. */
  readonly #made: Map<Shape, Map<string, fc.Arbitrary<unknown>>> = new Map();

  constructor(root: Shape, form: Form, readable: boolean) {
    this.#root = root;
    this.#form = form;
    this.#readable = readable;
    this.#least = depthsOf(root);
  }

  root(depth: number): fc.Arbitrary<unknown> {
    const least = this.#least(this.#root);
    if (least === Infinity)
      throw new NoValueError("the type has no value, because it requires a value of itself or of `never`");
    return this.#of(this.#root, "", Math.max(depth, least));
  }

  /**
   * Returns an arbitrary for the values of a nested type.
   *
   * @param hint - The name of the property, with the name of its type in front: `Team.name`.
   * @param left - The number of levels of recursive types that the value may still have.
   */
  #of(shape: Shape, hint: string, left: number): fc.Arbitrary<unknown> {
    let made = this.#made.get(shape);
    if (made === undefined) this.#made.set(shape, (made = new Map()));
    const key = `${left} ${this.#readable ? hint : ""}`;
    let known = made.get(key);
    if (known === undefined) made.set(key, (known = new LazyArbitrary(() => this.#make(shape, hint, left))));
    return known;
  }

  #make(shape: Shape, hint: string, left: number): fc.Arbitrary<unknown> {
    const readable = this.#readable;
    switch (shape.kind) {
      case "unknown":
        return readable ? word() : anything();
      case "never":
        throw new NoValueError("the type `never` has no value");
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "literal":
        return fc.constant(this.#form === "wire" ? toWire(shape.value) : shape.value);
      case "string":
        return readable ? readableTexts(shape, hint) : texts(shape);
      case "number":
        return numbers(shape, readable);
      case "bigint":
        return bigints(shape, readable).map((value) => this.#formed(value));
      case "date":
        return this.#form === "wire" ? dateTimes(readable).filter(isTimestamp) : moments(readable);
      case "bytes":
        return fc.uint8Array({ maxLength: 24, size: "max" }).map((value) => this.#formed(value));
      case "template":
        return this.#template(shape);
      case "array":
        return this.#array(shape, hint, left);
      case "tuple":
        return this.#tuple(shape, hint, left);
      case "object":
        return this.#object(shape, left);
      case "union":
        return this.#union(shape, hint, left);
      case "reference":
        return this.#of(shape.to(), hint, shape.recursive === true ? left - 1 : left);
    }
  }

  #formed(value: unknown): unknown {
    return this.#form === "wire" ? toWire(value) : value;
  }

  #template(shape: ShapeOf<"template">): fc.Arbitrary<unknown> {
    const { parts } = shape.texts;
    if (parts === undefined)
      throw new NoValueError(
        `the generated code does not list the parts of \`${shape.source}\`; run \`kit build\` again`,
      );
    const { minLength = 0, maxLength = Infinity, pattern } = shape;
    const passes = (text: string): boolean => fits(shape, text, "wire");
    // The fixed parts of the template limit the length that is left for its holes.
    const room = roomOf(parts);
    const share = (length: number): number => Math.max(0, Math.floor((length - room.fixed) / room.holes));
    const most = Math.min(12, share(maxLength));
    const tries = [fromParts(parts, this.#readable, 0, most)];
    if (minLength > 0) {
      const least = Math.min(share(minLength) + 1, share(maxLength));
      tries.push(fromParts(parts, false, least, Math.min(least + 4, share(maxLength))));
    }
    if (pattern !== undefined) {
      tries.push(fromParts(parts, true, 0, most), texts({ minLength, maxLength, pattern }));
    }
    return new FilteredArbitrary(
      fc.oneof(...tries),
      passes,
      () => `string that matches \`${shape.source}\` and satisfies its rules`,
    );
  }

  #array(shape: ShapeOf<"array">, hint: string, left: number): fc.Arbitrary<unknown> {
    const { element, minItems = 0, maxItems = Infinity, uniqueItems } = shape;
    if (minItems > maxItems) throw new NoValueError(`found no array of ${minItems} to ${maxItems} items`);
    if (this.#least(element) > left) {
      if (minItems === 0) return fc.constant([]);
      throw new NoValueError("the array must not be empty, but the type of its items has no value");
    }
    const item = this.#of(element, singular(hint), left);
    const usual = Math.min(maxItems, minItems + MORE_ITEMS);
    const least = this.#readable ? Math.min(usual, Math.max(1, minItems)) : minItems;
    if (uniqueItems === true) return uniqueItemsOf(item, least, minItems, usual);
    const few = fc.array(item, { minLength: least, maxLength: usual, size: "max" });
    if (this.#readable || maxItems === Infinity || maxItems > 200 || maxItems === usual) return few;
    return either([19, few], [1, fc.array(item, { minLength: maxItems, maxLength: maxItems, size: "max" })]);
  }

  #tuple({ elements }: ShapeOf<"tuple">, hint: string, left: number): fc.Arbitrary<unknown> {
    const open = (shape: Shape): boolean => this.#least(shape) <= left;
    const parts = elements.map((element): fc.Arbitrary<unknown[]> => {
      const item = this.#of(element.shape, hint, left);
      if (element.rest === true) {
        return open(element.shape) ? fc.array(item, { maxLength: MORE_ITEMS, size: "max" }) : fc.constant([]);
      }
      return item.map((value) => [value]);
    });
    // Optional elements come last in a tuple. If one of them is missing, all elements after it are missing too.
    const first = elements.findIndex((element) => element.optional === true);
    if (first < 0) return fc.tuple(...parts).map((lists) => lists.flat(1));
    let most = elements.findIndex(
      (element, at) => at >= first && element.rest !== true && !open(element.shape),
    );
    if (most < 0) most = elements.length;
    return fc
      .integer({ min: first, max: most })
      .chain((count) => fc.tuple(...parts.slice(0, count)))
      .map((lists) => lists.flat(1));
  }

  #object(shape: ShapeOf<"object">, left: number): fc.Arbitrary<unknown> {
    const members: fc.Arbitrary<unknown>[] = [];
    const keys: string[] = [];
    for (const property of shape.properties) {
      const { key, optional } = property;
      const mayMiss = optional === "always" || (optional === "input" && this.#form === "wire");
      if (mayMiss && this.#least(property.shape) > left) continue;
      const hint = this.#readable && shape.name !== undefined ? `${shape.name}.${key}` : key;
      const value = this.#of(property.shape, hint, left);
      keys.push(key);
      members.push(
        mayMiss ? either([1, fc.constant<unknown>(ABSENT)], [this.#readable ? 3 : 2, value]) : value,
      );
    }
    const declared = fc.tuple(...members).map((values) => objectOf(keys.map((key, at) => [key, values[at]])));
    const { index } = shape;
    if (index === undefined) return declared;
    const others = index
      .filter((signature) => this.#least(signature.shape) <= left)
      .map((signature) => this.#others(signature, left));
    return fc.tuple(declared, ...others).map(([known, ...more]) => {
      const entries = (more as [string, unknown][][]).flat(1).filter(([key]) => isFree(shape, key));
      // If two index signatures accept a key, its value must be valid for both.
      const kept = entries.filter(([key, value]) =>
        fits({ kind: "object", properties: [], index }, { [key]: value }, this.#form),
      );
      return objectOf([...kept, ...Object.entries(known as object)]);
    });
  }

  /** Returns properties whose keys an index signature accepts. */
  #others(
    { keys, key, shape }: NonNullable<ShapeOf<"object">["index"]>[number],
    left: number,
  ): fc.Arbitrary<[string, unknown][]> {
    const value = this.#of(shape, "", left);
    return fc.array(fc.tuple(this.#keys(keys, key), value), { maxLength: MORE_ITEMS, size: "max" });
  }

  #keys(keys: "string" | "number" | StringTest, key: ShapeOf<"string"> | undefined): fc.Arbitrary<string> {
    if (key === undefined) return keysOf(keys, this.#readable);
    if (typeof keys === "string") return ruledKeys(key, this.#readable);
    const { kind: _, isKey: __, ...rules } = key;
    const source = "key of an index signature";
    return this.#template({ ...rules, kind: "template", texts: keys, source }) as fc.Arbitrary<string>;
  }

  #union({ members }: ShapeOf<"union">, hint: string, left: number): fc.Arbitrary<unknown> {
    const open = members.filter((member) => this.#least(member) <= left);
    const choices = open.map((member): readonly [number, fc.Arbitrary<unknown>] => {
      const value = this.#of(member, hint, left);
      // Values that people write are rarely `null`.
      return [this.#readable && member.kind !== "null" ? 4 : 1, value];
    });
    if (choices.length === 0) throw new NoValueError("no member of the union has a value");
    return either(...choices);
  }
}

/** Returns JSON values of any type. Keys and characters that requests may not contain are excluded. */
function anything(): fc.Arbitrary<unknown> {
  const text = texts({ maxLength: 20 });
  const scalar = fc.oneof(fc.constant(null), fc.boolean(), numbers({}, false), text);
  const key = texts({ minLength: 1, maxLength: 8 }).filter((name) => name !== "__proto__");
  const list = fc.array(scalar, { maxLength: 3, size: "max" });
  const object = fc.array(fc.tuple(key, fc.oneof(scalar, list)), { maxLength: 3, size: "max" });
  return either<unknown>([4, scalar], [1, list], [1, object.map((entries) => Object.fromEntries(entries))]);
}

/**
 * Creates an object from its properties. Unlike an assignment, `Object.fromEntries` also creates an own property for the name
 * `__proto__`.
 */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries.filter(([, value]) => value !== ABSENT));
}

function isFree({ properties }: ShapeOf<"object">, key: string): boolean {
  return key !== "__proto__" && properties.every((property) => property.key !== key);
}

function keysOf(keys: "string" | "number" | StringTest, readable: boolean): fc.Arbitrary<string> {
  if (keys === "number") return fc.integer({ min: 0, max: 999 }).map(String).filter(isNumericKey);
  if (keys === "string") return readable ? word() : texts({ minLength: 1, maxLength: 12 });
  if (keys.parts === undefined)
    throw new NoValueError(
      "the generated code does not list the parts of the key of an index signature; run `kit build` again",
    );
  return fromParts(keys.parts, readable, 0, 12);
}

/** Returns keys of an object that satisfy the rules. */
function ruledKeys(rules: ShapeOf<"string">, readable: boolean): fc.Arbitrary<string> {
  const most = Math.min(rules.maxLength ?? Infinity, Math.max(12, (rules.minLength ?? 0) + 4));
  const short =
    rules.format === undefined && rules.pattern === undefined ? { ...rules, maxLength: most } : rules;
  return readable ? readableTexts(short, "") : texts(short);
}

/** Returns strings that match a template literal type. */
function fromParts(
  parts: readonly TemplatePart[],
  readable: boolean,
  least: number,
  most: number,
): fc.Arbitrary<string> {
  const pieces = parts.map((part): fc.Arbitrary<string> => {
    if (typeof part === "string") return fc.constant(part);
    if ("either" in part) {
      if (part.either.length === 0)
        throw new NoValueError("no string fits a placeholder of the template literal type");
      return fc.oneof(...part.either.map((choice) => fromParts(choice, readable, least, most)));
    }
    switch (part.hole) {
      case "string":
        return readable && least === 0 ? word().map((text) => text.slice(0, most)) : filling(least, most);
      case "number":
        return fc.oneof(fc.nat({ max: 999 }), numbers({ minimum: -1000, maximum: 1000 }, true)).map(String);
      case "bigint":
        return fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String);
    }
  });
  return fc.tuple(...pieces).map((filled) => filled.join(""));
}

/**
 * Returns two numbers: the characters of the fixed parts and of the numbers, and the placeholders for
 * strings, which share the remaining characters.
 */
function roomOf(parts: readonly TemplatePart[]): { readonly fixed: number; readonly holes: number } {
  let [fixed, holes] = [0, 0];
  for (const part of parts) {
    if (typeof part === "string") fixed += part.length;
    else if ("either" in part) fixed += Math.max(0, ...part.either.map((choice) => roomOf(choice).fixed));
    else if (part.hole === "string") holes += 1;
    else fixed += 3;
  }
  return { fixed, holes: Math.max(1, holes) };
}

function filling(least: number, most: number): fc.Arbitrary<string> {
  return texts({ minLength: Math.min(least, most), maxLength: Math.max(least, most) });
}

/**
 * Returns lists of different items: at least `least` and at most `most`. A list has fewer than `wished` items only if there are not enough
 * different values.
 */
function uniqueItemsOf(
  item: fc.Arbitrary<unknown>,
  wished: number,
  least: number,
  most: number,
): fc.Arbitrary<unknown[]> {
  const draws = fc.array(item, { minLength: wished, maxLength: Math.max(most, most * 8), size: "max" });
  const unique = draws.map((items) => {
    const seen = new Set<string>();
    const different = items.filter((value) => {
      const key = canonical(value);
      return seen.size < most && !seen.has(key) && seen.add(key) !== undefined;
    });
    return different;
  });
  return new FilteredArbitrary(
    unique,
    (items) => items.length >= least,
    () => `array of ${least} different items`,
  );
}

/**
 * Returns a canonical string of a value: equal values give equal strings, and different values give different strings.
 */
function canonical(value: unknown): string {
  return JSON.stringify(toWire(value), (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Returns the name of an item of a list: `tags` gives `tag`. */
function singular(hint: string): string {
  return hint.replace(/ies$/, "y").replace(/(?<=[^s])s$/, "");
}
