import type { ValidationFailure } from "@kit/types";

import type { ObjectShape, Shape } from "./shape.ts";
import { shown } from "./shown.ts";
import { closest, suggest } from "./suggest.ts";
import { describeReceived } from "./words.ts";

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

  constructor(path: string, expected: string, shape: Shape, found: unknown) {
    this.path = path;
    this.expected = expected;
    this.#shape = shape;
    this.#found = found;
  }

  get value(): unknown {
    return shown(this.#found);
  }

  get received(): string {
    return describeReceived(this.#found, false);
  }

  get suggestion(): string | undefined {
    return suggest(this.#shape, this.#found);
  }

  /** See {@link inFull}. */
  toJSON(): ValidationFailure {
    return inFull(this);
  }
}

/** A property that is not there. Only the keys of its object are read again, for one that may have been meant. */
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
  const { path, expected, received, value, suggestion } = failure;
  return {
    path,
    expected,
    received,
    ...(value !== undefined && { value }),
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
