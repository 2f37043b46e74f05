import { explain, type Form, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

/** A shape of one kind. */
export type ShapeOf<Kind extends Shape["kind"]> = Extract<Shape, { kind: Kind }>;

/** A number or a bigint. */
export type NumberShape = Extract<Shape, { kind: "number" | "bigint" }>;

/** Rules on texts. */
export type TextRules = Omit<ShapeOf<"string">, "kind" | "isKey">;

/** Whether a value is one of a shape. */
export function fits(shape: Shape, value: unknown, form: Form): boolean {
  return explain(shape, value, form, 1).length === 0;
}

/** There is no value of a shape, or none was found. */
export class NoValueError extends Error {
  override readonly name = "NoValueError";
}

/** How often a value is drawn anew before it counts as not to be found. */
const TRIES = 500;

/** An arbitrary that is made when it is first asked for a value: shapes recurse, and most of them are never drawn. */
export class Lazy extends fc.Arbitrary<unknown> {
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

/** What of an arbitrary passes a test. In place of `filter`, which never ends where nothing does. */
export class Kept<T> extends fc.Arbitrary<T> {
  readonly #inner: fc.Arbitrary<T>;
  readonly #passes: (value: T) => boolean;
  readonly #what: () => string;

  /** @param what - What was looked for, where nothing was found. */
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

/** One of several, the first of which is what failures shrink to. */
export function either<T>(
  ...choices: readonly (readonly [weight: number, fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  const weighed = choices.map(([weight, arbitrary]) => ({ weight, arbitrary }));
  return fc.oneof({ withCrossShrink: false }, ...weighed);
}

/** Values of the first of some arbitraries that finds one. */
export class AnyOf<T> extends fc.Arbitrary<T> {
  readonly #choices: readonly fc.Arbitrary<T>[];
  readonly #inOrder: boolean;

  /** @param inOrder - The first one is asked first; else any of them. */
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
