import type { Shape } from "@kit/core/codec";

/**
 * Returns a function that returns the number of recursive levels in the smallest value of a type, or
 * `Infinity` if the type has no value. The numbers depend on each other, so they are computed again and again
 * until none changes.
 */
export function depthsOf(root: Shape): (shape: Shape) => number {
  const least = new Map<Shape, number>();
  const collect = (shape: Shape): void => {
    if (least.has(shape)) return;
    least.set(shape, Infinity);
    for (const part of partsOf(shape)) collect(part);
  };
  collect(root);
  const known = (shape: Shape): number => least.get(shape) ?? Infinity;
  for (let changed = true; changed;) {
    changed = false;
    for (const [shape, before] of least) {
      const depth = leastOf(shape, known);
      if (depth < before) {
        least.set(shape, depth);
        changed = true;
      }
    }
  }
  return known;
}

function leastOf(shape: Shape, known: (shape: Shape) => number): number {
  switch (shape.kind) {
    case "never":
      return Infinity;
    case "reference":
      return known(shape.to()) + (shape.recursive === true ? 1 : 0);
    case "array":
      return (shape.minItems ?? 0) > 0 ? known(shape.element) : 0;
    case "tuple":
      return most(
        shape.elements.map((element) => (element.optional || element.rest ? 0 : known(element.shape))),
      );
    case "object":
      return most(
        shape.properties.map((property) => (property.optional === undefined ? known(property.shape) : 0)),
      );
    case "union":
      return Math.min(...shape.members.map(known));
    default:
      return 0;
  }
}

function most(depths: readonly number[]): number {
  return Math.max(0, ...depths);
}

function partsOf(shape: Shape): Shape[] {
  switch (shape.kind) {
    case "reference":
      return [shape.to()];
    case "array":
      return [shape.element];
    case "tuple":
      return shape.elements.map((element) => element.shape);
    case "object":
      return [...shape.properties, ...(shape.index ?? [])].map((part) => part.shape);
    case "union":
      return [...shape.members];
    default:
      return [];
  }
}
