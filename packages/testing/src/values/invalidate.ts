import { explain, type Form, isNumericKey, type Shape, type StringTest } from "@kit/core/codec";
import * as fc from "fast-check";

import { missing, placed } from "./values-at-paths.ts";
import type { ValueOptions } from "./arbitrary.ts";
import { type RuleViolation, violationsOf, type RuleName } from "./rules.ts";
import { fits, NoValueError, type ShapeOf } from "./support.ts";

/** Change that makes a valid value invalid at one path. */
export interface Violation {
  /** Path as in failures: `$.items[0].quantity`. */
  readonly path: string;
  readonly steps: readonly (string | number)[];
  /** Rule that the change breaks. */
  readonly rule: RuleName;
  /** Values that replace the valid value. The value `missing` removes the property. */
  readonly given: fc.Arbitrary<unknown>;
}

/**
 * Returns all rules that a change of a valid value can break, at each path. For some of them, {@link
 * invalidate} finds no value, because every change breaks another rule too.
 */
export function violations(
  shape: Shape,
  value: unknown,
  { form = "wire", style = "wide" }: Pick<ValueOptions, "form" | "style"> = {},
): readonly Violation[] {
  const walk = new Walk(form, style === "readable");
  walk.collect(shape, value, []);
  return walk.found;
}

/**
 * Returns a copy of a valid value with a new value at one path. Returns `undefined` unless the copy has exactly one failure, at this
 * path. For example, another member of a union may accept the copy.
 */
export function invalidate(
  shape: Shape,
  value: unknown,
  violation: Pick<Violation, "path" | "steps">,
  given: unknown,
  form: Form = "wire",
): { readonly value: unknown } | undefined {
  const invalid = placed(value, violation.steps, given);
  const failures = explain(shape, invalid, form);
  return failures.length === 1 && failures[0]?.path === violation.path ? { value: invalid } : undefined;
}

/** Joins the steps of a path in the notation of failures: `["items", 0]` gives `$.items[0]`. */
export function pathOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
  }, "$");
}

/** Collects the rules that can be broken in one value. */
class Walk {
  readonly found: Violation[] = [];
  readonly #form: Form;
  readonly #readable: boolean;

  constructor(form: Form, readable: boolean) {
    this.#form = form;
    this.#readable = readable;
  }

  collect(shape: Shape, value: unknown, steps: readonly (string | number)[]): void {
    const path = pathOf(steps);
    const known = new Set<string>();
    for (const { rule, given } of violationsFor(shape, this.#form, this.#readable)) {
      // Two members of a union may have a rule with the same name. Only the first one is used.
      if (known.has(rule)) continue;
      known.add(rule);
      this.found.push({ path, steps, rule, given });
    }
    this.#parts(shape, value, steps);
  }

  #parts(shape: Shape, value: unknown, steps: readonly (string | number)[]): void {
    switch (shape.kind) {
      case "reference":
        return this.#parts(shape.to(), value, steps);
      case "union": {
        const member = shape.members.find((candidate) => fits(candidate, value, this.#form));
        if (member !== undefined) this.#parts(member, value, steps);
        return;
      }
      case "array":
        // All items of a list have the same rules, so only the first item is used.
        if (Array.isArray(value) && value.length > 0) this.collect(shape.element, value[0], [...steps, 0]);
        return;
      case "tuple":
        if (Array.isArray(value)) this.#items(shape, value, steps);
        return;
      case "object":
        if (typeof value === "object" && value !== null) this.#members(shape, value, steps);
        return;
      default:
    }
  }

  #items(
    { elements }: ShapeOf<"tuple">,
    value: readonly unknown[],
    steps: readonly (string | number)[],
  ): void {
    const rest = elements.findIndex((element) => element.rest === true);
    const after = rest < 0 ? 0 : elements.length - rest - 1;
    for (const [at, item] of value.entries()) {
      const fromEnd = value.length - at;
      const position = rest < 0 || at < rest ? at : fromEnd <= after ? elements.length - fromEnd : rest;
      const element = elements[position];
      if (element !== undefined) this.collect(element.shape, item, [...steps, at]);
    }
  }

  #members(shape: ShapeOf<"object">, value: object, steps: readonly (string | number)[]): void {
    for (const { key, optional, shape: member } of shape.properties) {
      const at = [...steps, key];
      const mayMiss = optional === "always" || (optional === "input" && this.#form === "wire");
      if (!mayMiss)
        this.found.push({ path: pathOf(at), steps: at, rule: "required", given: fc.constant(missing) });
      if (Object.hasOwn(value, key)) this.collect(member, Reflect.get(value, key), at);
    }
    const declared = new Set(shape.properties.map(({ key }) => key));
    const other = Object.keys(value).find((key) => !declared.has(key) && key !== "__proto__");
    if (other === undefined) return;
    const signature = shape.index?.find(({ keys }) => takes(keys, other));
    if (signature === undefined) return;
    this.collect(signature.shape, Reflect.get(value, other), [...steps, other]);
    const item: unknown = Reflect.get(value, other);
    for (const ruled of shape.index ?? []) this.#keys(ruled, shape, item, value, steps);
  }

  /**
   * Collects changes that give a property an invalid key, which breaks a rule of the index signature. The value of
   * the property does not change.
   */
  #keys(
    { keys, key }: IndexShape,
    { index = [], properties }: ShapeOf<"object">,
    item: unknown,
    value: object,
    steps: readonly (string | number)[],
  ): void {
    if (key === undefined) return;
    const isWrongElsewhere = (broken: string): boolean =>
      index.some((other) => other.key !== key && takes(other.keys, broken) && breaks(other.key, broken));
    for (const { rule, given } of violationsFor(textOf(keys, key), this.#form, this.#readable)) {
      // Keys are always strings. A key that does not match the template does not belong to this signature.
      if (rule === "null" || rule === "type" || rule === "template") continue;
      for (const broken of keysThatBreak(given)) {
        const isDeclared = properties.some((property) => property.key === broken);
        if (broken === "__proto__" || isDeclared || Object.hasOwn(value, broken) || isWrongElsewhere(broken))
          continue;
        const at = [...steps, broken];
        this.found.push({ path: pathOf(at), steps: at, rule, given: fc.constant(item) });
      }
    }
  }
}

type IndexShape = NonNullable<ShapeOf<"object">["index"]>[number];

/** Returns true if a key breaks one of the rules. */
function breaks(rules: ShapeOf<"string"> | undefined, key: string): boolean {
  return rules !== undefined && !fits(rules, key, "wire");
}

/** String types for the keys of index signatures, by the rules of the keys. */
const keyTexts: WeakMap<Shape, Shape> = new WeakMap();

function textOf(keys: IndexShape["keys"], key: ShapeOf<"string">): Shape {
  if (typeof keys === "string") return key;
  let known = keyTexts.get(key);
  if (known === undefined) {
    const { kind: _, isKey: __, ...rules } = key;
    known = { ...rules, kind: "template", texts: keys, source: "key of an index signature" };
    keyTexts.set(key, known);
  }
  return known;
}

/** Number of invalid keys to try for each rule. */
const BROKEN_KEYS = 3;

/** Returns keys that break a rule. Each call returns the same keys. */
function keysThatBreak(given: fc.Arbitrary<unknown>): string[] {
  try {
    return fc
      .sample(given, { numRuns: BROKEN_KEYS, seed: 1 })
      .filter((key): key is string => typeof key === "string");
  } catch (error) {
    // No key can break this rule without breaking another one.
    if (error instanceof NoValueError) return [];
    throw error;
  }
}

/** Returns true if an index signature applies to a key. */
function takes(keys: "string" | "number" | StringTest, key: string): boolean {
  if (typeof keys === "string") return keys === "string" || isNumericKey(key);
  return keys.test(key);
}

/**
 * Rules that can be broken, by form and style and then by type. Types are constants of generated modules, so the rules of a type are
 * computed only once.
 */
const made: Map<string, WeakMap<Shape, readonly RuleViolation[]>> = new Map();

function violationsFor(shape: Shape, form: Form, readable: boolean): readonly RuleViolation[] {
  const key = `${form} ${readable}`;
  let all = made.get(key);
  if (all === undefined) made.set(key, (all = new WeakMap()));
  let known = all.get(shape);
  if (known === undefined) all.set(shape, (known = violationsOf(shape, form, readable)));
  return known;
}
