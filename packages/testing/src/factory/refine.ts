import type { Shape } from "@kit/core/codec";

import type { ProjectTypes, TypeEntry } from "../project/known-types.ts";

type ObjectShape = Extract<Shape, { kind: "object" }>;

/**
 * A shape whose values are as those of a running application: what `@generated uuid` says is a UUID, though its type is any text, and so is
 * what refers to one. Parts are made once, so that types that hold themselves end.
 */
export function refined(shape: Shape, types: ProjectTypes): Shape {
  return new Refiner(types).of(shape);
}

/** Whether a property has a tag. */
export function hasTag(entry: TypeEntry | undefined, property: string, tag: RegExp): boolean {
  const found = entry?.properties.find(({ name }) => name === property);
  return found?.tags.some((written) => tag.test(written)) ?? false;
}

class Refiner {
  readonly #types: ProjectTypes;
  readonly #made: Map<Shape, Shape> = new Map();

  constructor(types: ProjectTypes) {
    this.#types = types;
  }

  of(shape: Shape): Shape {
    let made = this.#made.get(shape);
    if (made === undefined) this.#made.set(shape, (made = this.#make(shape)));
    return made;
  }

  #make(shape: Shape): Shape {
    switch (shape.kind) {
      case "reference":
        return { ...shape, to: () => this.of(shape.to()) };
      case "array": {
        const { isItem: _, ...rest } = shape;
        return { ...rest, element: this.of(shape.element) };
      }
      case "tuple":
        return {
          ...shape,
          elements: shape.elements.map((element) => withShape(element, this.of(element.shape))),
        };
      case "union":
        return { ...shape, members: shape.members.map((member) => this.of(member)) };
      case "object":
        return this.#object(shape);
      default:
        return shape;
    }
  }

  #object(declared: ObjectShape): Shape {
    const { explain: _, ...shape } = declared;
    const entry = shape.name === undefined ? undefined : this.#types.entries.get(shape.name);
    const properties = shape.properties.map((property) => {
      const { key, shape: inner } = property;
      const isUuid = hasTag(entry, key, /^@generated uuid$/) || this.#namesUuid(entry, key);
      if (inner.kind === "string" && Object.keys(inner).length === 1 && isUuid) {
        return withShape(property, { kind: "string", format: "uuid" });
      }
      return withShape(property, this.of(inner));
    });
    const index = shape.index?.map((signature) => withShape(signature, this.of(signature.shape)));
    return { ...shape, properties, ...(index === undefined ? {} : { index }) };
  }

  /** Whether a property names a row whose id is a UUID. */
  #namesUuid(entry: TypeEntry | undefined, property: string): boolean {
    const tags = entry?.properties.find(({ name }) => name === property)?.tags ?? [];
    return tags.some((tag) => {
      const [, type = "", field = ""] = /^@references ([\w$]+)\.([\w$]+)/.exec(tag) ?? [];
      return hasTag(this.#types.entries.get(type), field, /^@generated uuid$/);
    });
  }
}

function withShape<Part extends { readonly shape: Shape }>(part: Part, shape: Shape): Part {
  return { ...part, shape };
}
