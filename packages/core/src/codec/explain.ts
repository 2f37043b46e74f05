import type { ValidationFailure } from "@kit/types";

import { brokenRule } from "./broken-rule.ts";
import { MAX_DEPTH } from "./depth.ts";
import { closestMember } from "./closest.ts";
import { MissingFailure, ScalarFailure } from "./failure.ts";
import {
  elementAt,
  hasTupleLength,
  isContainer,
  keepsItemRules,
  Matcher,
  mayMiss,
  narrow,
  otherEntries,
  readProperty,
  takesKey,
} from "./match.ts";
import { isObject } from "./object.ts";
import { Part } from "./part.ts";
import { itemPath, memberPath } from "./path.ts";
import type { ScalarShape } from "./rules.ts";
import { hasKind, keepsRules } from "./rules.ts";
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
import { REDACTED, shown } from "./shown.ts";
import { suggest } from "./suggest.ts";
import { count, describe, describeReceived, nounOf } from "./words.ts";

/** How many failures are told where the caller does not say; of more, an additional entry says that there are more. */
const DEFAULT_LIMIT = 100;
/**
 * Number of UTF-16 units that the paths of all listed failures may have together. A client that nests long keys would otherwise be answered
 * with a hundred times what it sent.
 */
const MAX_PATHS = 16_384;

/**
 * Finds everything that keeps a value from fitting a shape, in the order of the declared properties; one failure for each place,
 * whose `expected` names all rules of that place. Empty exactly if the generated check says yes. If there are more failures than
 * the limit, or their paths are too long together, one more says so.
 */
export function explain(shape: Shape, value: unknown, form: Form, limit?: number): ValidationFailure[] {
  // One more than is told shows whether there are more.
  const explainer = new Explainer(form, limit ?? DEFAULT_LIMIT + 1, false);
  explainer.visit(shape, value, "$", -1, false);
  const { failures } = explainer;
  if (limit !== undefined || !explainer.isFull) return failures;
  const listed = failures.length - 1;
  failures[listed] = {
    path: "$",
    expected: `no more than ${count(listed, "failure")}`,
    received: "more, which are not listed",
    rule: "maxFailures",
    limit: listed,
    suggestion: "repair those that are listed first",
  };
  return failures;
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

/** Walks a shape and a value, and keeps what does not fit. */
export class Explainer {
  readonly failures: ValidationFailure[] = [];
  readonly #form: Form;
  #limit: number;
  /** Number of UTF-16 units that the paths of the failures have together. */
  #pathUnits = 0;
  readonly #kindsOnly: boolean;
  /** Made where members of a union must be tried; every trial shares what the others found out. */
  #matcher: Matcher | undefined;

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
    return hasKind(shape, value, this.#form) && (this.#kindsOnly || keepsRules(shape, value));
  }

  /** Whether a value is known to fit without being visited. */
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
    // Generated code reads properties faster than a walk; both call the same methods for what is wrong.
    const generated = this.#form === "wire" && !this.#kindsOnly ? shape.explain : undefined;
    if (generated !== undefined) generated(value, new Part(this, shape, value, path, depth, hidden));
    else this.#visitProperties(shape, value, path, depth, hidden);
    if (shape.index === undefined) return;
    for (const [key, item] of otherEntries(shape, value)) {
      this.#visitEntry(shape.index, key, item, memberPath(path, key), depth, hidden);
    }
  }

  #visitProperties(shape: ObjectShape, value: object, path: string, depth: number, hidden: boolean): void {
    for (const property of shape.properties) {
      const item = readProperty(value, property.key);
      // Most properties are right and need no path.
      if (item === undefined ? mayMiss(property, this.#form) : this.#passes(property.shape, item)) continue;
      const at = memberPath(path, property.key);
      if (item === undefined) this.miss(shape, property.key, describe(property.shape, this.#form), value, at);
      else this.visit(property.shape, item, at, depth, hidden || property.sensitive === true);
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
    for (const signature of index) {
      if (!takesKey(signature, key) || this.failures.length > before) continue;
      if (signature.key !== undefined && !this.#holds(signature.key, key)) {
        this.#refuse(signature.key, key, path, hidden);
      } else this.visit(signature.shape, value, path, depth, hidden);
    }
  }

  /** Keeps that a property is missing. */
  miss(shape: ObjectShape, key: string, expected: string, object: object, path: string): void {
    this.push(new MissingFailure(path, expected, shape, key, object));
  }

  #visitArray(shape: ArrayShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!Array.isArray(value)) {
      this.#refuse(shape, value, path, hidden);
      return;
    }
    if (!this.#kindsOnly && !keepsItemRules(shape, value)) this.#refuse(shape, value, path, hidden);
    // The generated check of an item is faster than a walk, and one wrong item among many is the usual failure.
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

  /** What is wrong with the member that was meant. Where nobody can tell which one that is, the members are listed. */
  #visitUnion(shape: UnionShape, value: unknown, path: string, depth: number, hidden: boolean): void {
    if (!isContainer(value) && shape.members.length > 1) {
      if (!this.#fitsScalar(shape, value, depth)) this.#refuse(shape, value, path, hidden);
      return;
    }
    const { members, possible, unknown } = narrow(shape, value, this.#form);
    const candidates = members.map((index) => shape.members[index] as Shape);
    const [only] = candidates;
    // One that is left was meant, unless a discriminant holds what belongs to another.
    if (only !== undefined && candidates.length === 1 && unknown === undefined) {
      this.visit(only, value, path, depth, hidden);
      return;
    }
    this.#matcher ??= new Matcher(this.#form, this.#kindsOnly);
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

  /** Whether a value without parts fits; a matcher would say the same, but it also finds out how well. */
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

  /** Keeps that a value does not fit. Of a secret, its kind and the rule that it breaks are kept; of a value with parts, nothing that may change. */
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
      value: value === undefined ? null : secret ? REDACTED : shown(value),
      ...brokenRule(shape, value, this.#form),
    };
    const suggestion = secret ? undefined : suggest(shape, value);
    if (suggestion !== undefined) failure.suggestion = suggestion;
    this.push(failure);
  }

  /** Keeps a failure, unless there are enough. */
  push(failure: ValidationFailure): void {
    if (this.isFull) return;
    this.failures.push(failure);
    this.#pathUnits += failure.path.length;
    if (this.#pathUnits > MAX_PATHS) this.#limit = this.failures.length;
  }

  /** Returns true once no further failure is kept. */
  get isFull(): boolean {
    return this.failures.length >= this.#limit;
  }
}
