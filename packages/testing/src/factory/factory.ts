import { dirname } from "node:path";

import { explain, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import { stepsOf, valueAt } from "../values/values-at-paths.ts";
import { callSiteOf, typeArgumentAt, typeNamed } from "../project/call-site.ts";
import { hasTag, ProjectTypes, type TypeEntry, type TypeName } from "../project/known-types.ts";
import {
  arbitrary,
  NoValueError,
  pathOf,
  type RuleName,
  invalidate,
  type Violation,
  violations,
  toWire,
} from "../values/index.ts";
import { composed, isRecord } from "./compose.ts";
import type { Field, FieldValue, Overrides, RuleOf } from "./types.ts";
import { Unique } from "./unique.ts";

/** Options of {@link createFactory}. */
export interface FactoryOptions {
  /** Name of the type. Required if kit cannot read the source of the call, for example if a bundler has changed it. */
  readonly type?: TypeName;
  /** Seed of the random values. The same seed gives the same values on each machine. Default: 1. */
  readonly seed?: number;
  /** Directory of the project, or a directory below it. Default: the directory of the calling file. */
  readonly root?: string;
}

/** Properties to override, or a function that returns them. The function gets the number of the value, which starts at 1. */
export type OverridesOrFunction<T> = Overrides<T> | ((number: number) => Overrides<T>);

/** Value that breaks one rule of one field. */
export interface Invalid<T> {
  readonly field: Field<T>;
  readonly rule: RuleName;
  /** Value in its wire form. */
  readonly value: unknown;
}

/** Creates values of a type. */
export interface Factory<T> {
  /** Name of the type in the artifacts of `kit build`. */
  readonly type: string;

  /**
   * Returns a valid value in the form in which handlers get it: with `Date`, `bigint` and bytes. Each call returns another value. Values of
   * `@unique` properties never repeat.
   *
   * @param overrides - Properties that matter to the test. For a union, the value is of a member that has these properties.
   * @throws {Error} if the overrides break a rule of the type. Use `buildInvalid` to create an invalid value.
   */
  build(overrides?: OverridesOrFunction<T>): T;

  /** Returns a list with the given number of valid values. */
  buildMany(count: number, overrides?: OverridesOrFunction<T>): T[];

  /**
   * Returns a value that breaks one rule of one field and no other rule. The value is in wire form, ready to be sent as a body.
   *
   * @param field - The field as failures name the path, but without `$.`: `title`, `author.name`, `tags[0]`.
   * @param rule - `required` removes the field, and `null` and `type` replace its value. Other rules have the names of their doc tags.
   * @throws {Error} if the field or the rule does not exist, or if the rule cannot be broken without another rule. The message lists
   *   the existing fields or rules.
   * @example
   * ```ts
   * const body = notes.buildInvalid("title", "maxLength");
   * const { status } = await client.request("POST", "/notes", { body });
   * assert.equal(status, 400);
   * ```
   */
  buildInvalid<Path extends Field<T>>(field: Path, rule: RuleOf<FieldValue<T, Path>>): unknown;

  /**
   * Returns one invalid value for each rule of each field: all values that `buildInvalid` can create.
   *
   * @example
   * ```ts
   * for (const { field, rule, value } of inputs.invalid()) {
   *   const { status } = await client.request("POST", "/notes", { body: value });
   *   assert.equal(status, 400, `${field} ${rule}`);
   * }
   * ```
   */
  invalid(): Invalid<T>[];

  /**
   * Returns a factory whose values have the given properties. The overrides of a `build` call take
   * precedence.
   *
   * @example
   * ```ts
   * const done = todos.with({ completed: true });
   * const numbered = todos.with((number) => ({ title: `Todo ${number}` }));
   * ```
   */
  with(overrides: OverridesOrFunction<T>): Factory<T>;

  /** Restarts the factory: the next value is the same as the first one. */
  reset(): void;
}

/** Maximum number of values that are generated to find all fields. One value may lack optional fields. */
const MAX_SAMPLES = 24;

/** Number of values without a new field after which the search for fields ends. */
const MAX_SAMPLES_WITHOUT_NEW = 6;

/**
 * Time of the first value with `@generated now`. The time of each later value is one minute after the previous time.
 */
const FIRST_MOMENT = Date.UTC(2026, 0, 1, 12);

/**
 * Creates a factory for values of a type. The values satisfy all rules of the type, are readable, and are the same in each run.
 *
 * kit reads the type from the source code of the call, so the type must have a name and must be in the output
 * of `kit build`.
 *
 * @example
 * ```ts
 * import type { Note } from "../src/notes.types.ts";
 *
 * const notes = createFactory<Note>();
 * const note = notes.build({ archived: true });
 * const many = notes.buildMany(20);
 * const tooLong = notes.buildInvalid("title", "maxLength");
 * ```
 * @throws {Error} if kit cannot read the type from the call, or does not know it. The message says what to do.
 */
export function createFactory<T>(options: FactoryOptions = {}): Factory<T> {
  const site = callSiteOf(createFactory);
  const directory = options.root ?? (site === undefined ? process.cwd() : dirname(site.file));
  const types = ProjectTypes.find(directory);
  if (options.type !== undefined) return new ShapeFactory<T>(types, types.entry(options.type), options.seed);
  if (site === undefined)
    throw new Error('kit cannot see who called createFactory: name the type with `{ type: "Note" }`');
  const entry = typeNamed(types, typeArgumentAt(site, "createFactory"), site);
  return new ShapeFactory<T>(types, entry, options.seed);
}

/** State that a factory shares with the factories that its method `with` creates. */
interface State {
  built: number;
  readonly unique: Unique;
}

class ShapeFactory<T> implements Factory<T> {
  readonly type: string;
  readonly #entry: TypeEntry;
  readonly #types: ProjectTypes;
  readonly #shape: Shape;
  readonly #seed: number;
  readonly #given: readonly OverridesOrFunction<T>[];
  readonly #state: State;
  readonly #arbitraries: WeakMap<Shape, fc.Arbitrary<unknown>> = new WeakMap();

  constructor(
    types: ProjectTypes,
    entry: TypeEntry,
    seed = 1,
    given: readonly OverridesOrFunction<T>[] = [],
    state: State = { built: 0, unique: new Unique(entry) },
  ) {
    this.type = entry.name;
    this.#types = types;
    this.#entry = entry;
    this.#shape = types.shape(entry.name);
    this.#seed = seed;
    this.#given = given;
    this.#state = state;
  }

  build(overrides?: OverridesOrFunction<T>): T {
    this.#state.built += 1;
    return this.#build(this.#state.built, overrides) as T;
  }

  buildMany(count: number, overrides?: OverridesOrFunction<T>): T[] {
    return Array.from({ length: count }, () => this.build(overrides));
  }

  buildInvalid(field: string, rule: string): unknown {
    const steps = stepsOf(field.startsWith("[") ? `$${field}` : `$.${field}`);
    // The rules of one item of a list are those of the first item.
    const first = steps.map((step) => (typeof step === "number" ? 0 : step));
    const paths = new Set([pathOf(steps), pathOf(first)]);
    const rules = new Set<string>();
    const fields = new Set<string>();
    let reason = "";
    for (let attempt = 0; attempt < MAX_SAMPLES; attempt += 1) {
      const value = toWire(this.#build(this.#state.built + 1 + attempt, undefined, false));
      for (const violation of violations(this.#shape, value, { style: "readable" })) {
        fields.add(named(violation.path));
        if (!paths.has(violation.path)) continue;
        rules.add(violation.rule);
        if (violation.rule !== rule) continue;
        if (valueAt(value, steps.slice(0, -1)) === undefined || isBeyond(value, steps)) {
          reason = "the factory generates shorter lists";
          continue;
        }
        try {
          const invalid = this.#invalidated(value, { ...violation, steps, path: pathOf(steps) }, attempt);
          if (invalid !== undefined) return invalid.value;
          reason =
            "each value that breaks this rule also breaks another rule, or matches another member of a union";
        } catch (error) {
          if (!(error instanceof NoValueError)) throw error;
          reason = error.message;
        }
      }
    }
    if (rules.size === 0) {
      throw new Error(
        `${this.type} has no field \`${field}\`. Its fields are ${[...fields].filter((name) => name !== "").join(", ")}`,
      );
    }
    if (!rules.has(rule)) {
      throw new Error(
        `\`${field}\` of ${this.type} has no rule \`${rule}\`; it has ${[...rules].join(", ")}`,
      );
    }
    throw new Error(
      `The rule \`${rule}\` of \`${field}\` of ${this.type} cannot be broken without another rule: ${reason}`,
    );
  }

  invalid(): Invalid<T>[] {
    const found = new Map<string, Invalid<T>>();
    // The values of most types have all fields, so the search usually stops early.
    for (
      let attempt = 0, last = 0;
      attempt < MAX_SAMPLES && attempt - last < MAX_SAMPLES_WITHOUT_NEW;
      attempt += 1
    ) {
      const value = toWire(this.#build(this.#state.built + 1 + attempt, undefined, false));
      for (const violation of violations(this.#shape, value, { style: "readable" })) {
        const key = `${violation.path} ${violation.rule}`;
        if (violation.steps.length === 0 || found.has(key)) continue;
        const invalid = this.#invalidatedIfAny(value, violation, attempt);
        if (invalid === undefined) continue;
        const field = named(violation.path) as Field<T>;
        found.set(key, { field, rule: violation.rule, value: invalid.value });
        last = attempt;
      }
    }
    return [...found.values()];
  }

  with(overrides: OverridesOrFunction<T>): Factory<T> {
    const given = [...this.#given, overrides];
    return new ShapeFactory<T>(this.#types, this.#entry, this.#seed, given, this.#state);
  }

  reset(): void {
    this.#state.built = 0;
    this.#state.unique.clear();
  }

  /** @param countsForUnique - False for a value that may repeat the values of `@unique` properties. */
  #build(number: number, overrides: OverridesOrFunction<T> | undefined, countsForUnique = true): unknown {
    const given = [...this.#given, overrides].filter((part) => part !== undefined);
    const parts = given.map((part) => (typeof part === "function" ? part(number) : part));
    for (let salt = 0; ; salt += 1) {
      let drawn = 0;
      const draw = (shape: Shape): unknown => this.#drawn(shape, number, salt * 100 + (drawn += 1));
      const merged =
        parts.length === 0 ? draw(this.#shape) : composed(this.#shape, mergeOverrides(parts), draw);
      const value = this.#filled(merged, number, parts);
      if (!countsForUnique) return value;
      this.#check(value);
      const taken = this.#state.unique.findDuplicate(value);
      if (taken === undefined) return this.#state.unique.add(value);
      if (salt >= 200 || parts.some((part) => Object.hasOwn(part as object, taken))) {
        throw new Error(
          `${this.type} number ${number} has the same \`${taken}\` as an earlier value, but the property is @unique: ${JSON.stringify(toWire(Reflect.get(value as object, taken)))}. Set a different value for each number with \`(number) => ({ ${taken}: … })\`, or call reset() first`,
        );
      }
    }
  }

  #drawn(shape: Shape, number: number, salt: number): unknown {
    let known = this.#arbitraries.get(shape);
    if (known === undefined) {
      known = arbitrary(shape, { form: "value", style: "readable" });
      this.#arbitraries.set(shape, known);
    }
    return this.#sample(known, number, salt);
  }

  #sample(of: fc.Arbitrary<unknown>, number: number, salt: number): unknown {
    const seed = seedOf(this.#seed, this.type, number, salt);
    try {
      return fc.sample(of, { seed, numRuns: 1, unbiased: true })[0];
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error;
      throw new NoValueError(
        `Cannot generate a value of ${this.type}: ${error.message}. Pass the value to \`build({ … })\``,
        { cause: error },
      );
    }
  }

  /**
   * Sets the properties that kit or the database would set: properties with a default, and times such as `@generated now`. The times
   * depend on the number of the value.
   */
  #filled(value: unknown, number: number, parts: readonly unknown[]): unknown {
    if (!isRecord(value)) return value;
    const given = (name: string): boolean =>
      parts.some((part) => isRecord(part) && Object.hasOwn(part, name));
    const filled = new Map(Object.entries(value));
    for (const { name, default: usual } of this.#entry.properties) {
      if (given(name) || !filled.has(name)) continue;
      if (hasTag(this.#entry, name, /^@(?:generated|onUpdate) now$/) && filled.get(name) instanceof Date) {
        filled.set(name, new Date(FIRST_MOMENT + number * 60_000));
      } else if (typeof usual === typeof filled.get(name) && typeof usual !== "object") {
        filled.set(name, usual);
      }
    }
    return Object.fromEntries(filled);
  }

  #check(value: unknown): void {
    const [first, ...more] = explain(this.#shape, value, "value");
    if (first === undefined) return;
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    throw new Error(
      `The values given to the factory are not valid for ${this.type}: ${first.path}: expected ${first.expected}, received ${first.received}${others}. To get an invalid value, use buildInvalid()`,
    );
  }

  #invalidated(
    value: unknown,
    violation: Violation,
    attempt: number,
  ): { readonly value: unknown } | undefined {
    for (let salt = 0; salt < 8; salt += 1) {
      const [given] = fc.sample(violation.given, {
        seed: seedOf(this.#seed, violation.rule, attempt, salt),
        numRuns: 1,
      });
      const invalid = invalidate(this.#shape, value, violation, given);
      if (invalid !== undefined) return invalid;
    }
    return undefined;
  }

  #invalidatedIfAny(
    value: unknown,
    violation: Violation,
    attempt: number,
  ): { readonly value: unknown } | undefined {
    try {
      return this.#invalidated(value, violation, attempt);
    } catch (error) {
      if (error instanceof NoValueError) return undefined;
      throw error;
    }
  }
}

/** Returns true if the path contains an index beyond the end of a list. */
function isBeyond(value: unknown, steps: readonly (string | number)[]): boolean {
  return steps.some((step, at) => {
    const list = valueAt(value, steps.slice(0, at));
    return typeof step === "number" && Array.isArray(list) && step >= list.length;
  });
}

/** Returns a path without its beginning `$.`: `$.author.name` gives `author.name`. */
function named(path: string): string {
  return path.replace(/^\$\.?/, "");
}

/** Merges overrides. If several overrides have the same property, the last value is used. */
function mergeOverrides(parts: readonly unknown[]): unknown {
  return parts.reduce((below, above) => {
    if (!isRecord(below) || !isRecord(above)) return above;
    const merged = new Map<string, unknown>(Object.entries(below));
    for (const [key, value] of Object.entries(above)) {
      merged.set(key, merged.has(key) ? mergeOverrides([merged.get(key), value]) : value);
    }
    return Object.fromEntries(merged);
  });
}

/** Returns a hash of the parts (FNV-1a), so that different parts give different seeds. */
function seedOf(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join("\0")) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash | 0;
}
