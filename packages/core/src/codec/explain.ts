import type { ValidationFailure } from "@kit/types";

import { MAX_DEPTH, MAX_TRIAL_ENTRIES } from "./depth.ts";
import { isNumericKey, isObject, own } from "./object.ts";
import type { ScalarShape } from "./rules.ts";
import { hasKind, keepsRules } from "./rules.ts";
import type {
  ArrayShape,
  Form,
  IndexShape,
  ObjectShape,
  PropertyShape,
  ReferenceShape,
  Shape,
  TupleShape,
  UnionShape,
} from "./shape.ts";
import { holdsSensitive, resolve } from "./shape.ts";
import { REDACTED, shown } from "./shown.ts";
import { closest, suggest } from "./suggest.ts";
import { describe, describeReceived } from "./words.ts";
import { hasUniqueItems } from "./unique.ts";

/** How many failures are collected where the caller does not say. */
const DEFAULT_LIMIT = 100;

/** A name that JSONPath takes after a dot. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Everything that keeps a value from fitting a shape, in the order of the declared properties; one failure for each place,
 * whose `expected` names all rules of that place. Empty exactly where the generated check says yes.
 */
export function explain(
  shape: Shape,
  value: unknown,
  form: Form,
  limit: number = DEFAULT_LIMIT,
): ValidationFailure[] {
  const explainer = new Explainer(form, limit, false);
  explainer.visit(shape, value, "$", -1, false);
  return explainer.failures;
}

/** Whether a value fits; `rules` false asks for its kinds alone. */
export function fits(shape: Shape, value: unknown, form: Form, rules: boolean = true): boolean {
  return firstFailure(shape, value, form, rules) === undefined;
}

/** The first place where a value does not fit. */
export function firstFailure(
  shape: Shape,
  value: unknown,
  form: Form,
  rules: boolean,
): ValidationFailure | undefined {
  const explainer = new Explainer(form, 1, !rules);
  explainer.visit(shape, value, "$", -1, false);
  return explainer.failures[0];
}

class Explainer {
  readonly failures: ValidationFailure[] = [];
  readonly #form: Form;
  readonly #limit: number;
  readonly #kindsOnly: boolean;
  /** How often recursive types were entered while trying members of unions; nothing outside of a trial. */
  #trialEntries: number | undefined;

  constructor(form: Form, limit: number, kindsOnly: boolean) {
    this.#form = form;
    this.#limit = limit;
    this.#kindsOnly = kindsOnly;
  }

  visit(shape: Shape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (this.failures.length >= this.#limit) return;
    switch (shape.kind) {
      case "reference":
        this.#visitReference(shape, value, path, depth, hidden);
        break;
      case "object":
        this.#visitObject(shape, value, path, depth, hidden);
        break;
      case "array":
        this.#visitArray(shape, value, path, depth, hidden);
        break;
      case "tuple":
        this.#visitTuple(shape, value, path, depth, hidden);
        break;
      case "union":
        this.#visitUnion(shape, value, path, depth, hidden);
        break;
      default:
        if (!this.#holds(shape, value)) this.#refuse(shape, value, path, hidden);
    }
  }

  #visitReference(shape: ReferenceShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (shape.recursive === undefined) {
      this.visit(shape.to(), value, path, depth, hidden);
    } else if (depth + 1 >= MAX_DEPTH) {
      this.#push({ path, expected: `at most ${MAX_DEPTH} levels of nesting`, received: "a deeper level" });
    } else if (this.#trialEntries !== undefined && ++this.#trialEntries > MAX_TRIAL_ENTRIES) {
      this.#push({
        path,
        expected: "a value that can be checked in bounded time",
        received: "an entangled one",
      });
    } else {
      this.visit(shape.to(), value, path, depth + 1, hidden);
    }
  }

  #holds(shape: ScalarShape, value: unknown): boolean {
    return hasKind(shape, value, this.#form) && (this.#kindsOnly || keepsRules(shape, value));
  }

  #visitObject(shape: ObjectShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!isObject(value)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    for (const property of shape.properties) {
      const at = memberPath(path, property.key);
      const item = this.#read(value, property.key);
      if (item !== undefined) {
        this.visit(property.shape, item, at, depth, hidden || property.sensitive === true);
      } else if (!this.#mayMiss(property)) {
        this.#miss(shape, property, value, at);
      }
    }
    if (shape.index === undefined) return;
    const declared = new Set(shape.properties.map((property) => property.key));
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || declared.has(key)) continue;
      this.#visitEntry(shape.index, key, value[key], memberPath(path, key), depth, hidden);
    }
  }

  /** Every signature that takes the key must hold; one that does not is enough to say so. */
  #visitEntry(
    index: readonly IndexShape[],
    key: string,
    value: unknown,
    path: string,
    depth: number,
    hidden: boolean,
  ): void {
    const before = this.failures.length;
    for (const { keys, shape } of index) {
      const takes = keys === "string" || (keys === "number" ? isNumericKey(key) : keys.test(key));
      if (takes && this.failures.length === before) this.visit(shape, value, path, depth, hidden);
    }
  }

  /** Handlers may answer with instances of classes, whose getters are inherited; what `Object.prototype` has never counts. */
  #read(value: object, key: string): unknown {
    const inherits = this.#form === "value" && !(key in Object.prototype);
    return inherits ? (value as Readonly<Record<string, unknown>>)[key] : own(value, key);
  }

  #mayMiss(property: PropertyShape): boolean {
    return property.optional === "always" || (property.optional === "input" && this.#form === "wire");
  }

  #miss(shape: ObjectShape, property: PropertyShape, value: object, path: string): void {
    const declared = new Set(shape.properties.map(({ key }) => key));
    const others = Object.keys(value).slice(0, 100);
    const near = closest(
      property.key,
      others.filter((key) => !declared.has(key)),
    );
    const add = `add ${JSON.stringify(property.key)}`;
    this.#push({
      path,
      expected: describe(property.shape, this.#form),
      received: "nothing",
      suggestion: near === undefined ? add : `${add}; did you write it ${JSON.stringify(near)}?`,
    });
  }

  #visitArray(shape: ArrayShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!Array.isArray(value)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = shape;
    const rules = value.length >= minItems && value.length <= maxItems;
    if (!this.#kindsOnly && !(rules && (shape.uniqueItems === undefined || hasUniqueItems(value)))) {
      this.#refuse(shape, value, path, hidden);
    }
    for (let index = 0; index < value.length && this.failures.length < this.#limit; index++) {
      this.visit(shape.element, value[index], `${path}[${index}]`, depth, hidden);
    }
  }

  #visitTuple(shape: TupleShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    const { elements } = shape;
    const rest = elements.findIndex((element) => element.rest);
    const least = elements.filter((element) => !element.optional && !element.rest).length;
    if (!Array.isArray(value) || value.length < least || (rest < 0 && value.length > elements.length)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    const after = rest < 0 ? 0 : elements.length - rest - 1;
    for (let index = 0; index < value.length && this.failures.length < this.#limit; index++) {
      const fromEnd = value.length - index;
      const position = rest < 0 || index < rest ? index : fromEnd <= after ? elements.length - fromEnd : rest;
      const element = elements[position];
      if (element !== undefined) this.visit(element.shape, value[index], `${path}[${index}]`, depth, hidden);
    }
  }

  #visitUnion(shape: UnionShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    const { discriminant } = shape;
    const candidates = shape.members.filter((member) => mayHold(resolve(member), value));
    if (discriminant !== undefined && isObject(value)) {
      const tags = candidates.flatMap((candidate) => {
        const resolved = resolve(candidate);
        if (resolved.kind !== "object") return [];
        const property = resolved.properties.find(({ key }) => key === discriminant);
        return property === undefined ? [] : [{ candidate, literal: property.shape }];
      });
      const tag = this.#read(value, discriminant);
      const chosen = tags.find(({ literal }) => fits(literal, tag, this.#form));
      if (chosen !== undefined) {
        this.visit(chosen.candidate, value, path, depth, hidden);
        return;
      }
      if (tags.length > 0) {
        const expected: Shape = { kind: "union", members: tags.map(({ literal }) => literal) };
        this.#refuse(expected, tag, memberPath(path, discriminant), hidden);
        return;
      }
    }
    const [only] = candidates;
    // One object among scalars was meant: say what is wrong inside. Among several, nobody can tell.
    if (only !== undefined && candidates.length === 1) this.visit(only, value, path, depth, hidden);
    else if (!candidates.some((candidate) => this.#admits(candidate, value, depth))) {
      this.#refuse(shape, value, path, hidden);
    }
  }

  /** Whether a value fits, tried without leaving failures behind. Members that are told apart by fit must keep their rules. */
  #admits(shape: Shape, value: unknown, depth: number): boolean {
    const trial = new Explainer(this.#form, 1, this.#kindsOnly && !isContainer(value));
    trial.#trialEntries = this.#trialEntries ?? 0;
    trial.visit(shape, value, "$", depth, true);
    if (this.#trialEntries !== undefined) this.#trialEntries = trial.#trialEntries;
    return trial.failures.length === 0;
  }

  #refuse(shape: Shape, value: unknown, path: string, hidden: boolean): void {
    const secret = hidden || (isContainer(value) && holdsSensitive(shape));
    const suggestion = suggest(shape, value);
    this.#push({
      path,
      expected: describe(shape, this.#form),
      received: describeReceived(value, secret),
      ...(value === undefined ? undefined : { value: secret ? REDACTED : shown(value) }),
      ...(suggestion === undefined || secret ? undefined : { suggestion }),
    });
  }

  #push(failure: ValidationFailure): void {
    if (this.failures.length < this.#limit) this.failures.push(failure);
  }
}

/** Whether a value has parts that are checked one by one. */
function isContainer(value: unknown): boolean {
  return (
    Array.isArray(value) || (isObject(value) && !(value instanceof Date) && !(value instanceof Uint8Array))
  );
}

/** Whether a member of a union can be meant by a value: an array or object leaves only members of its kind. */
function mayHold(shape: Shape, value: unknown): boolean {
  if (!isContainer(value) || shape.kind === "unknown" || shape.kind === "union") return true;
  return Array.isArray(value) ? shape.kind === "array" || shape.kind === "tuple" : shape.kind === "object";
}

/** The path of a member: `$.title`, `$["odd key"]`. */
export function memberPath(path: string, key: string): string {
  return PLAIN_NAME.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
