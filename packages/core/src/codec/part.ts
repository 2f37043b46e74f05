import type { Explainer } from "./explain.ts";
import { ScalarFailure } from "./failure.ts";
import { isContainer, mayMiss } from "./match.ts";
import { joinedPath, memberPath, memberStep } from "./path.ts";
import type { ObjectShape, PropertyShape } from "./shape.ts";
import { describe } from "./words.ts";

/** A declared property, with the words that its failures have in common. */
class Place {
  readonly property: PropertyShape;
  /** `.title`, `["odd key"]`. */
  readonly step: string;
  /** Its path where the object is the root, as it is most often. */
  readonly atRoot: string;
  readonly expected: string;

  constructor(property: PropertyShape) {
    this.property = property;
    this.step = memberStep(property.key);
    this.atRoot = memberPath("$", property.key);
    this.expected = describe(property.shape, "wire");
  }
}

/** The places of shapes with something wrong. Shapes are constants of generated modules. */
const known: WeakMap<ObjectShape, readonly Place[]> = new WeakMap();

function placesOf(shape: ObjectShape): readonly Place[] {
  let places = known.get(shape);
  if (places === undefined) {
    known.set(shape, (places = shape.properties.map((property) => new Place(property))));
  }
  return places;
}

/** An object in wire form of which a generated function tells what is wrong, property by property. */
export class Part {
  readonly #explainer: Explainer;
  readonly #shape: ObjectShape;
  readonly #object: object;
  readonly #path: string;
  readonly #depth: number;
  readonly #hidden: boolean;
  #places: readonly Place[] | undefined;

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

  /** A property without parts is wrong, or is missing. */
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

  /** A property has parts to be looked at. */
  visit(position: number, value: unknown): void {
    const place = this.#place(position);
    const { property } = place;
    if (value === undefined) {
      if (!mayMiss(property, "wire")) this.#miss(place);
      return;
    }
    const hidden = this.#hidden || property.sensitive === true;
    this.#explainer.visit(property.shape, value, this.#pathOf(place), this.#depth, hidden);
  }

  #place(position: number): Place {
    this.#places ??= placesOf(this.#shape);
    return this.#places[position] as Place;
  }

  #pathOf(place: Place): string {
    return this.#path === "$" ? place.atRoot : joinedPath(this.#path, place.step);
  }

  #miss(place: Place): void {
    this.#explainer.miss(this.#shape, place.property.key, place.expected, this.#object, this.#pathOf(place));
  }
}
