import type { ValidationFailure } from "@kit/types";

import { brokenRule } from "./broken-rule.ts";
import { MAX_DEPTH } from "./depth.ts";
import { closestMember } from "./closest-member.ts";
import { MissingFailure, ScalarFailure } from "./failure.ts";
import {
  elementAt,
  hasTupleLength,
  isContainer,
  satisfiesItemRules,
  UnionMatcher,
  isOptional,
  narrow,
  otherEntries,
  readProperty,
  acceptsKey,
} from "./match.ts";
import { isObject } from "./object.ts";
import { ObjectWalk, type ShapeWalk } from "./object-walk.ts";
import { itemPath, memberPath } from "./path.ts";
import type { ScalarShape } from "./rules.ts";
import { hasType, satisfiesRules } from "./rules.ts";
import type {
  ArrayShape,
  Form,
  IndexShape,
  ObjectShape,
  ReferenceShape,
  Shape,
  TupleShape,
  UnionShape,
} from "./shape.ts";
import { holdsSensitive } from "./shape.ts";
import { REDACTED, displayValue } from "./display-value.ts";
import { suggest } from "./suggest.ts";
import { count, describe, describeReceived, nounOf } from "./describe.ts";

/** Default maximum number of failures. If there are more, one more entry says so. */
const DEFAULT_LIMIT = 100;
/**
 * Maximum total length of the paths of all listed failures, in UTF-16 code units. Without this limit, a client that
 * nests long keys would cause a response that is a hundred times as large as its request.
 */
const MAX_PATHS = 16_384;

/**
 * Returns all reasons why a value does not satisfy a shape, in the order of the declared properties. There is one
 * failure per location, and its `expected` lists all rules of that location. The result is empty if and only if the
 * generated check accepts the value. If there are more failures than the limit, or if their paths are too long
 * together, one more entry says so.
 *
 * @example
 * ```ts
 * explain({ kind: "string", maxLength: 3 }, "Milk", "wire")[0]?.rule; // "maxLength"
 * explain({ kind: "string", maxLength: 3 }, "Tea", "wire"); // []
 * ```
 */
export function explain(shape: Shape, value: unknown, form: Form, limit?: number): ValidationFailure[] {
  // One failure above the limit shows that there are more.
  const explainer = new Explainer(form, limit ?? DEFAULT_LIMIT + 1, false);
  explainer.visit(shape, value, "$", -1, false);
  const { failures } = explainer;
  return limit === undefined && explainer.isFull ? listedFailures(failures, failures.length - 1) : failures;
}

/** Returns the first failures of a list that has more, and one more entry that says so. */
function listedFailures(failures: readonly ValidationFailure[], listed: number): ValidationFailure[] {
  const entry: ValidationFailure = {
    path: "$",
    expected: `no more than ${count(listed, "failure")}`,
    received: "more than are listed",
    rule: "maxFailures",
    limit: listed,
    suggestion: "fix the listed failures first",
  };
  return [...failures.slice(0, listed), entry];
}

/**
 * Limits the failures that several parts of a body have together, as {@link explain} limits the failures of one
 * value.
 */
export function limitFailures(failures: readonly ValidationFailure[]): readonly ValidationFailure[] {
  return failures.length > DEFAULT_LIMIT + 1 ? listedFailures(failures, DEFAULT_LIMIT) : failures;
}

/** Returns the first failure of a value, if it has any. If `rules` is false, only types are checked. */
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

/** Walks a shape and a value, and collects failures. */
class Explainer implements ShapeWalk {
  readonly failures: ValidationFailure[] = [];
  readonly #form: Form;
  #limit: number;
  /** Total length of the paths of all failures, in UTF-16 code units. */
  #pathUnits = 0;
  readonly #kindsOnly: boolean;
  /** Finds the union member that a value satisfies. Created on first use. All checks share it because of its cache. */
  #matcher: UnionMatcher | undefined;

  constructor(form: Form, limit: number, kindsOnly: boolean) {
    this.#form = form;
    this.#limit = limit;
    this.#kindsOnly = kindsOnly;
  }

  visit(shape: Shape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (this.isFull) return;
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
      this.#refuseDepth(path);
    } else {
      this.visit(shape.to(), value, path, depth + 1, hidden);
    }
  }

  #refuseDepth(path: string): void {
    const expected = `at most ${MAX_DEPTH} levels of nesting`;
    this.push({ path, expected, received: "a deeper level", rule: "maxDepth", limit: MAX_DEPTH });
  }

  #holds(shape: ScalarShape, value: unknown): boolean {
    return hasType(shape, value, this.#form) && (this.#kindsOnly || satisfiesRules(shape, value));
  }

  /** Returns true if a value is valid and has no nested values. All other values must be visited. */
  #passes(shape: Shape, value: unknown): boolean {
    switch (shape.kind) {
      case "reference":
      case "object":
      case "array":
      case "tuple":
      case "union":
        return false;
      default:
        return this.#holds(shape, value);
    }
  }

  #visitObject(shape: ObjectShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!isObject(value)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    // Generated code reads properties faster than the walk. Both report failures through the same methods.
    const generated = this.#form === "wire" && !this.#kindsOnly ? shape.explain : undefined;
    if (generated !== undefined) generated(value, new ObjectWalk(this, shape, value, path, depth, hidden));
    else this.#visitProperties(shape, value, path, depth, hidden);
    if (shape.index === undefined) return;
    for (const [key, item] of otherEntries(shape, value)) {
      this.#visitEntry(shape.index, key, item, memberPath(path, key), depth, hidden);
    }
  }

  #visitProperties(shape: ObjectShape, value: object, path: string, depth: number, hidden: boolean): void {
    for (const property of shape.properties) {
      const item = readProperty(value, property.key);
      // Most properties are valid, and no path is created for these.
      if (item === undefined ? isOptional(property, this.#form) : this.#passes(property.shape, item))
        continue;
      const at = memberPath(path, property.key);
      if (item === undefined) this.miss(shape, property.key, describe(property.shape, this.#form), value, at);
      else this.visit(property.shape, item, at, depth, hidden || property.sensitive === true);
    }
  }

  /** Checks an object's entry against every index signature that accepts its key, up to the first failure. */
  #visitEntry(
    index: readonly IndexShape[],
    key: string,
    value: unknown,
    path: string,
    depth: number,
    hidden: boolean,
  ): void {
    const before = this.failures.length;
    for (const signature of index) {
      if (!acceptsKey(signature, key) || this.failures.length > before) continue;
      if (signature.key !== undefined && !this.#holds(signature.key, key)) {
        this.#refuse(signature.key, key, path, hidden);
      } else this.visit(signature.shape, value, path, depth, hidden);
    }
  }

  /** Adds a failure for a missing property. */
  miss(shape: ObjectShape, key: string, expected: string, object: object, path: string): void {
    this.push(new MissingFailure(path, expected, shape, key, object));
  }

  #visitArray(shape: ArrayShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!Array.isArray(value)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    if (!this.#kindsOnly && !satisfiesItemRules(shape, value)) this.#refuse(shape, value, path, hidden);
    // The generated check of an item is faster than the walk, and typically only one of many items is invalid.
    const fit = this.#form === "wire" && !this.#kindsOnly ? shape.isItem : undefined;
    for (let index = 0; index < value.length && !this.isFull; index++) {
      const item: unknown = value[index];
      if (fit === undefined ? this.#passes(shape.element, item) : fit(item)) continue;
      this.visit(shape.element, item, itemPath(path, index), depth, hidden);
    }
  }

  #visitTuple(shape: TupleShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!Array.isArray(value) || !hasTupleLength(shape, value.length)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    for (let index = 0; index < value.length && !this.isFull; index++) {
      this.visit(elementAt(shape, index, value.length), value[index], itemPath(path, index), depth, hidden);
    }
  }

  /**
   * Reports the failures of the union member that the client probably meant. If it is unclear which member
   * was meant, reports one failure that lists the members.
   */
  #visitUnion(shape: UnionShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!isContainer(value) && shape.members.length > 1) {
      if (!this.#fitsScalar(shape, value, depth)) this.#refuse(shape, value, path, hidden);
      return;
    }
    const { members, possible, unknown } = narrow(shape, value, this.#form);
    const candidates = members.map((index) => shape.members[index] as Shape);
    const [only] = candidates;
    // The only remaining member was meant, unless the value of a discriminant belongs to another member.
    if (only !== undefined && candidates.length === 1 && unknown === undefined) {
      this.visit(only, value, path, depth, hidden);
      return;
    }
    this.#matcher ??= new UnionMatcher(this.#form, this.#kindsOnly);
    const matcher = this.#matcher;
    const fits = (part: Shape, item: unknown): boolean => matcher.fit(part, item, depth) !== undefined;
    if (candidates.some((candidate) => fits(candidate, value))) return;
    const meant = closestMember(candidates, value, fits, this.#form);
    if (meant !== undefined) {
      this.visit(meant, value, path, depth, hidden);
      return;
    }
    const tag = unknown === undefined ? undefined : readProperty(value as object, unknown.key);
    if (unknown !== undefined && (tag !== undefined || candidates.length === 0)) {
      const expected: Shape = { kind: "union", members: unknown.shapes };
      this.#refuse(expected, tag, memberPath(path, unknown.key), hidden);
      return;
    }
    const named = possible.map((index) => shape.members[index] as Shape);
    this.#refuse(named.length === 0 ? shape : { kind: "union", members: named }, value, path, hidden);
  }

  /**
   * Returns true if a value that is not an array or object is valid. {@link UnionMatcher} has the same
   * result, but also computes how well the value fits, which takes longer.
   */
  #fitsScalar(shape: Shape, value: unknown, depth: number): boolean {
    switch (shape.kind) {
      case "reference":
        if (shape.recursive === undefined) return this.#fitsScalar(shape.to(), value, depth);
        return depth + 1 < MAX_DEPTH && this.#fitsScalar(shape.to(), value, depth + 1);
      case "object":
      case "array":
      case "tuple":
        return false;
      case "union":
        return shape.members.some((member) => this.#fitsScalar(member, value, depth));
      default:
        return this.#holds(shape, value);
    }
  }

  #refuse(shape: Shape, value: unknown, path: string, hidden: boolean): void {
    const secret = hidden || (isContainer(value) && holdsSensitive(shape));
    this.fail(shape, describe(shape, this.#form), value, path, secret);
  }

  /**
   * Adds a failure for an invalid value. For a secret value, the failure contains only the kind of the value and the
   * broken rule. For an array or object, all strings are created immediately, because the value may change later.
   */
  fail(shape: Shape, expected: string, value: unknown, path: string, secret: boolean): void {
    if (shape.kind === "unknown" && value !== undefined) {
      this.#refuseDepth(path);
      return;
    }
    if (!secret && !isContainer(value) && value !== undefined) {
      this.push(new ScalarFailure(path, expected, shape, value, this.#form));
      return;
    }
    const failure: ValidationFailure = {
      path,
      expected,
      received: describeReceived(value, secret, nounOf(shape)),
      value: value === undefined ? null : secret ? REDACTED : displayValue(value),
      ...brokenRule(shape, value, this.#form),
    };
    const suggestion = secret ? undefined : suggest(shape, value);
    if (suggestion !== undefined) failure.suggestion = suggestion;
    this.push(failure);
  }

  /** Adds a failure, unless the limit is reached. */
  push(failure: ValidationFailure): void {
    if (this.isFull) return;
    this.failures.push(failure);
    this.#pathUnits += failure.path.length;
    if (this.#pathUnits > MAX_PATHS) this.#limit = this.failures.length;
  }

  /** Returns true if no further failure is accepted. */
  get isFull(): boolean {
    return this.failures.length >= this.#limit;
  }
}
