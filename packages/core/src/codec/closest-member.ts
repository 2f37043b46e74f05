import { elementAt, hasTupleLength, isOptional, readProperty } from "./match.ts";
import type { Form, Shape } from "./shape.ts";
import { resolve } from "./shape.ts";

/** Similarity of a value to a member of a union. */
interface Nearness {
  /**
   * For an object, the number of declared properties that the object has. For an array, the number of valid
   * items.
   */
  readonly shared: number;
  /** Number of properties or items that are missing or invalid. */
  readonly mistakes: number;
}

/**
 * Returns the union member that the client probably meant: the member that shares the most keys with the
 * value (for arrays: the most items), or of several, the member with the fewest mistakes. Returns `undefined`
 * if two members are equally similar, or if no member shares a key. A failure then lists all members.
 */
export function closestMember(
  members: readonly Shape[],
  value: unknown,
  fits: (shape: Shape, value: unknown) => boolean,
  form: Form,
): Shape | undefined {
  let best: { member: Shape; nearness: Nearness } | undefined;
  let tied = false;
  for (const member of members) {
    const nearness = nearnessOf(resolve(member), value, fits, form);
    if (nearness === undefined || nearness.shared === 0) continue;
    const order = best === undefined ? 1 : compare(nearness, best.nearness);
    if (order > 0) {
      best = { member, nearness };
      tied = false;
    } else if (order === 0) {
      tied = true;
    }
  }
  return tied ? undefined : best?.member;
}

function compare(a: Nearness, b: Nearness): number {
  return a.shared - b.shared || b.mistakes - a.mistakes;
}

function nearnessOf(
  shape: Shape,
  value: unknown,
  fits: (shape: Shape, value: unknown) => boolean,
  form: Form,
): Nearness | undefined {
  let [shared, mistakes] = [0, 0];
  if (Array.isArray(value)) {
    if (shape.kind !== "array" && !(shape.kind === "tuple" && hasTupleLength(shape, value.length))) {
      return undefined;
    }
    value.forEach((item, index) => {
      const element = shape.kind === "array" ? shape.element : elementAt(shape, index, value.length);
      if (fits(element, item)) shared++;
      else mistakes++;
    });
    return { shared, mistakes };
  }
  if (shape.kind !== "object" || typeof value !== "object" || value === null) return undefined;
  for (const property of shape.properties) {
    const item = readProperty(value, property.key);
    if (item !== undefined) {
      shared++;
      if (!fits(property.shape, item)) mistakes++;
    } else if (!isOptional(property, form)) {
      mistakes++;
    }
  }
  return { shared, mistakes };
}
