import type { ValidationFailure } from "@kit/types";

import { ScalarFailure } from "./failure.ts";
import { isContainer, isOptional } from "./match.ts";
import { joinedPath, memberPath, memberStep } from "./path.ts";
import type { ObjectExplainer, ObjectShape, PropertyShape, Shape } from "./shape.ts";
import { describe } from "./describe.ts";

/** Declared property of an object shape, with the strings that all failures of the property share. */
class DeclaredProperty {
  readonly property: PropertyShape;
  /** Path segment of the property: `.title`, `["odd key"]`. */
  readonly step: string;
  /** Path of the property if the object is the root, which is the usual case. */
  readonly atRoot: string;
  readonly expected: string;

  constructor(property: PropertyShape) {
    this.property = property;
    this.step = memberStep(property.key);
    this.atRoot = memberPath("$", property.key);
    this.expected = describe(property.shape, "wire");
  }
}

/** Cached declared properties of shapes that had failures. Shapes are constants of generated modules. */
const cache: WeakMap<ObjectShape, readonly DeclaredProperty[]> = new WeakMap();

function declaredProperties(shape: ObjectShape): readonly DeclaredProperty[] {
  let properties = cache.get(shape);
  if (properties === undefined) {
    cache.set(shape, (properties = shape.properties.map((property) => new DeclaredProperty(property))));
  }
  return properties;
}

/** Walk over a shape and a value, which collects failures. */
export interface ShapeWalk {
  /** Checks a nested value. */
  visit(shape: Shape, value: unknown, path: string, depth: number, hidden: boolean): void;
  /** Adds a failure for an invalid value. */
  fail(shape: Shape, expected: string, value: unknown, path: string, secret: boolean): void;
  /** Adds a failure for a missing property. */
  miss(shape: ObjectShape, key: string, expected: string, object: object, path: string): void;
  /** Adds a failure. */
  push(failure: ValidationFailure): void;
}

/** Part of a walk: the declared properties of one object. */
export class ObjectWalk implements ObjectExplainer {
  readonly #walk: ShapeWalk;
  readonly #shape: ObjectShape;
  readonly #object: object;
  readonly #path: string;
  readonly #depth: number;
  readonly #hidden: boolean;
  #properties: readonly DeclaredProperty[] | undefined;

  constructor(
    walk: ShapeWalk,
    shape: ObjectShape,
    object: object,
    path: string,
    depth: number,
    hidden: boolean,
  ) {
    this.#walk = walk;
    this.#shape = shape;
    this.#object = object;
    this.#path = path;
    this.#depth = depth;
    this.#hidden = hidden;
  }

  refuse(position: number, value: unknown): void {
    const declared = this.#property(position);
    if (value === undefined) {
      this.#miss(declared);
      return;
    }
    const { property, expected } = declared;
    const hidden = this.#hidden || property.sensitive === true;
    if (hidden || isContainer(value)) {
      this.#walk.fail(property.shape, expected, value, this.#pathOf(declared), hidden);
    } else {
      this.#walk.push(new ScalarFailure(this.#pathOf(declared), expected, property.shape, value, "wire"));
    }
  }

  visit(position: number, value: unknown): void {
    const declared = this.#property(position);
    const { property } = declared;
    if (value === undefined) {
      if (!isOptional(property, "wire")) this.#miss(declared);
      return;
    }
    const hidden = this.#hidden || property.sensitive === true;
    this.#walk.visit(property.shape, value, this.#pathOf(declared), this.#depth, hidden);
  }

  #property(position: number): DeclaredProperty {
    this.#properties ??= declaredProperties(this.#shape);
    return this.#properties[position] as DeclaredProperty;
  }

  #pathOf(declared: DeclaredProperty): string {
    return this.#path === "$" ? declared.atRoot : joinedPath(this.#path, declared.step);
  }

  #miss(declared: DeclaredProperty): void {
    this.#walk.miss(
      this.#shape,
      declared.property.key,
      declared.expected,
      this.#object,
      this.#pathOf(declared),
    );
  }
}
