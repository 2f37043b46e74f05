import { explain, type Form, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

/** Shape of the given kind, such as `string`. */
export type ShapeOf<Kind extends Shape["kind"]> = Extract<Shape, { kind: Kind }>;

/** Shape of a number or bigint. */
export type NumberShape = Extract<Shape, { kind: "number" | "bigint" }>;

/** Rules of a string type, such as `minLength`. */
export type TextRules = Omit<ShapeOf<"string">, "kind" | "isKey">;

/** Returns true if a value is valid for a type. */
export function fits(shape: Shape, value: unknown, form: Form): boolean {
  return explain(shape, value, form, 1).length === 0;
}

/** Error for a type without values, or for a type for which the search found no value. */
export class NoValueError extends Error {
  override readonly name = "NoValueError";
}

/** Number of attempts after which a search for a value fails. */
const TRIES = 500;

/**
 * Arbitrary that creates its inner arbitrary when the first value is drawn. Types can contain themselves, and many arbitraries
 * are never used.
 */
export class LazyArbitrary extends fc.Arbitrary<unknown> {
  readonly #make: () => fc.Arbitrary<unknown>;
  #made: fc.Arbitrary<unknown> | undefined;

  constructor(make: () => fc.Arbitrary<unknown>) {
    super();
    this.#make = make;
  }

  get #inner(): fc.Arbitrary<unknown> {
    return (this.#made ??= this.#make());
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<unknown> {
    return this.#inner.generate(random, biasFactor);
  }

  canShrinkWithoutContext(value: unknown): value is unknown {
    return this.#inner.canShrinkWithoutContext(value);
  }

  shrink(value: unknown, context: unknown): fc.Stream<fc.Value<unknown>> {
    return this.#inner.shrink(value, context);
  }
}

/**
 * Arbitrary of the values that satisfy a condition. Unlike `filter` of fast-check, the search ends with an error if no value satisfies the
 * condition.
 */
export class FilteredArbitrary<T> extends fc.Arbitrary<T> {
  readonly #inner: fc.Arbitrary<T>;
  readonly #passes: (value: T) => boolean;
  readonly #what: () => string;

  /** @param what - Describes the values, for the error of a failed search. */
  constructor(inner: fc.Arbitrary<T>, passes: (value: T) => boolean, what: () => string) {
    super();
    this.#inner = inner;
    this.#passes = passes;
    this.#what = what;
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<T> {
    for (let left = TRIES; left > 0; left -= 1) {
      const drawn = this.#inner.generate(random, biasFactor);
      if (this.#passes(drawn.value)) return drawn;
    }
    throw new NoValueError(`found no ${this.#what()}`);
  }

  canShrinkWithoutContext(value: unknown): value is T {
    return this.#inner.canShrinkWithoutContext(value) && this.#passes(value);
  }

  shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.#inner.shrink(value, context).filter((shrunk) => this.#passes(shrunk.value));
  }
}

/** Chooses between arbitraries by weight. Failing values shrink to values of the first arbitrary. */
export function either<T>(
  ...choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  const weighed = choices.map(([weight, arbitrary]) => ({ weight, arbitrary }));
  return fc.oneof({ withCrossShrink: false }, ...weighed);
}

/** Arbitrary that tries several arbitraries, one after the other, until an arbitrary has a value. */
export class FirstOfArbitrary<T> extends fc.Arbitrary<T> {
  readonly #choices: readonly fc.Arbitrary<T>[];
  readonly #inOrder: boolean;

  /** @param inOrder - True to start with the first arbitrary. Otherwise the start is random. */
  constructor(choices: readonly fc.Arbitrary<T>[], inOrder: boolean = false) {
    super();
    this.#choices = choices;
    this.#inOrder = inOrder;
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<T> {
    const first = this.#inOrder ? 0 : random.nextInt(0, this.#choices.length - 1);
    let failed: unknown;
    for (let count = 0; count < this.#choices.length; count += 1) {
      const choice = this.#choices[(first + count) % this.#choices.length] as fc.Arbitrary<T>;
      try {
        const { value, context } = choice.generate(random, biasFactor);
        return new fc.Value(value, { choice, context });
      } catch (error) {
        if (!(error instanceof NoValueError)) throw error;
        failed = error;
      }
    }
    throw failed;
  }

  canShrinkWithoutContext(_value: unknown): _value is T {
    return false;
  }

  shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    if (context === undefined) return fc.Stream.nil();
    const { choice, context: inner } = context as { choice: fc.Arbitrary<T>; context: unknown };
    return choice
      .shrink(value, inner)
      .map((shrunk) => new fc.Value(shrunk.value, { choice, context: shrunk.context }));
  }
}
