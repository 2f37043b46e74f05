import type { ValidationFailure, ValidationLimit, ValidationRule } from "@kit/types";

import { type BrokenRule, brokenRule } from "./broken-rule.ts";
import type { Form, ObjectShape, Shape } from "./shape.ts";
import { displayValue } from "./display-value.ts";
import { closest } from "./closest.ts";
import { suggest } from "./suggest.ts";
import { describeReceived, nounOf } from "./describe.ts";

/*
 * Failures with lazily created strings. A response in production contains neither `received` nor `suggestion`, and
 * creating these costs more than finding the failure. There are two classes without a common base, because a
 * constructor that calls another constructor takes half as much time again.
 */

/** Failure of a value without nested values. The value may be shown. This class is not used for secret values. */
export class ScalarFailure implements ValidationFailure {
  readonly path: string;
  readonly expected: string;
  readonly #shape: Shape;
  readonly #found: unknown;
  readonly #form: Form;
  #broken: BrokenRule | undefined;

  constructor(path: string, expected: string, shape: Shape, found: unknown, form: Form) {
    this.path = path;
    this.expected = expected;
    this.#shape = shape;
    this.#found = found;
    this.#form = form;
  }

  get value(): unknown {
    return displayValue(this.#found);
  }

  get received(): string {
    return describeReceived(this.#found, false, nounOf(this.#shape));
  }

  get rule(): ValidationRule {
    return this.#brokenRule().rule;
  }

  get limit(): ValidationLimit | undefined {
    return this.#brokenRule().limit;
  }

  get suggestion(): string | undefined {
    return suggest(this.#shape, this.#found);
  }

  #brokenRule(): BrokenRule {
    return (this.#broken ??= brokenRule(this.#shape, this.#found, this.#form));
  }

  /** Returns the failure without getters, for `JSON.stringify`. */
  toJSON(): ValidationFailure {
    return inFull(this);
  }
}

/** Failure of a missing property. To suggest a similar key, only the keys of the object are read again. */
export class MissingFailure implements ValidationFailure {
  readonly path: string;
  readonly expected: string;
  readonly #shape: ObjectShape;
  readonly #key: string;
  readonly #object: object;

  constructor(path: string, expected: string, shape: ObjectShape, key: string, object: object) {
    this.path = path;
    this.expected = expected;
    this.#shape = shape;
    this.#key = key;
    this.#object = object;
  }

  get received(): string {
    return "nothing";
  }

  get value(): null {
    return null;
  }

  get rule(): "required" {
    return "required";
  }

  get suggestion(): string {
    const declared = new Set(this.#shape.properties.map(({ key }) => key));
    const others = Object.keys(this.#object).slice(0, 100);
    const near = closest(
      this.#key,
      others.filter((key) => !declared.has(key)),
    );
    const add = `add ${JSON.stringify(this.#key)}`;
    return near === undefined ? add : `${add}; the object has a similar key ${JSON.stringify(near)}`;
  }

  /** Returns the failure without getters, for `JSON.stringify`. */
  toJSON(): ValidationFailure {
    return inFull(this);
  }
}

/** Returns a copy of a failure with values in place of getters, in the order that responses have. */
function inFull(failure: ValidationFailure): ValidationFailure {
  const { path, expected, received, value, rule, limit, suggestion } = failure;
  return {
    path,
    expected,
    received,
    ...(value !== undefined && { value }),
    rule,
    ...(limit !== undefined && { limit }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

for (const { prototype } of [ScalarFailure, MissingFailure]) {
  // `console.log` of Node calls this method. Other engines ignore it.
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: ValidationFailure): ValidationFailure {
      return inFull(this);
    },
  });
}
