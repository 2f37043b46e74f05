import type { ValidationFailure, ValidationLimit, ValidationRule } from "@kit/types";

import { type BrokenRule, brokenRule } from "./broken-rule.ts";
import type { Form, ObjectShape, Shape } from "./shape.ts";
import { shown } from "./shown.ts";
import { closest, suggest } from "./suggest.ts";
import { describeReceived, nounOf } from "./words.ts";

/*
 * Failures whose words are made when they are read: an answer in production has no `received` and no `suggestion`, and words cost
 * more than finding the failure. Two classes and no common one, because a constructor that calls another costs half as
 * much again.
 */

/** A value without parts that does not fit. It may be shown; of one that may not, nothing is kept. */
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
    return shown(this.#found);
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

  /** See {@link inFull}. */
  toJSON(): ValidationFailure {
    return inFull(this);
  }
}

/** A property that is missing. Only the keys of its object are read again, for one that may have been meant. */
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
    return near === undefined ? add : `${add}; did you write it ${JSON.stringify(near)}?`;
  }

  /** See {@link inFull}. */
  toJSON(): ValidationFailure {
    return inFull(this);
  }
}

/** A failure with everything read, in the order in which an answer has it. */
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
  // What `console.log` of Node asks an object for; other engines do not know it.
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: ValidationFailure): ValidationFailure {
      return inFull(this);
    },
  });
}
