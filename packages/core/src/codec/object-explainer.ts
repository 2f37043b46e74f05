import type { Explainer } from "./explain.ts";
import { ScalarFailure } from "./failure.ts";
import { isContainer, isOptional } from "./match.ts";
import { joinedPath, memberPath, memberStep } from "./path.ts";
import type { ObjectShape, PropertyShape } from "./shape.ts";
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
const known: WeakMap<ObjectShape, readonly DeclaredProperty[]> = new WeakMap();

function placesOf(shape: ObjectShape): readonly DeclaredProperty[] {
  let places = known.get(shape);
  if (places === undefined) {
    known.set(shape, (places = shape.properties.map((property) => new DeclaredProperty(property))));
  }
  return places;
}

/** Object in wire form whose declared properties are checked. A generated function reports invalid ones through it. */
export class Part {
  readonly #explainer: Explainer;
  readonly #shape: ObjectShape;
  readonly #object: object;
  readonly #path: string;
  readonly #depth: number;
  readonly #hidden: boolean;
  #places: readonly DeclaredProperty[] | undefined;

  constructor(
    explainer: Explainer,
    shape: ObjectShape,
    object: object,
    path: string,
    depth: number,
    hidden: boolean,
  ) {
    this.#explainer = explainer;
    this.#shape = shape;
    this.#object = object;
    this.#path = path;
    this.#depth = depth;
    this.#hidden = hidden;
  }

  /** Reports that a property is invalid or missing, if its type has no nested values. `position` is its index. */
  refuse(position: number, value: unknown): void {
    const place = this.#place(position);
    if (value === undefined) {
      this.#miss(place);
      return;
    }
    const { property, expected } = place;
    const hidden = this.#hidden || property.sensitive === true;
    if (hidden || isContainer(value)) {
      this.#explainer.fail(property.shape, expected, value, this.#pathOf(place), hidden);
    } else {
      this.#explainer.push(new ScalarFailure(this.#pathOf(place), expected, property.shape, value, "wire"));
    }
  }

  /** Checks a property with nested values. `position` is the index of the property. */
  visit(position: number, value: unknown): void {
    const place = this.#place(position);
    const { property } = place;
    if (value === undefined) {
      if (!isOptional(property, "wire")) this.#miss(place);
      return;
    }
    const hidden = this.#hidden || property.sensitive === true;
    this.#explainer.visit(property.shape, value, this.#pathOf(place), this.#depth, hidden);
  }

  #place(position: number): DeclaredProperty {
    this.#places ??= placesOf(this.#shape);
    return this.#places[position] as DeclaredProperty;
  }

  #pathOf(place: DeclaredProperty): string {
    return this.#path === "$" ? place.atRoot : joinedPath(this.#path, place.step);
  }

  #miss(place: DeclaredProperty): void {
    this.#explainer.miss(this.#shape, place.property.key, place.expected, this.#object, this.#pathOf(place));
  }
}
