import { elementAt, hasTupleLength, mayMiss, readProperty } from "./match.ts";
import type { Form, Shape } from "./shape.ts";
import { resolve } from "./shape.ts";

/** How near a member is that a value does not fit. */
interface Nearness {
  /** Declared properties that are there, or items that fit. */
  readonly shared: number;
  /** Parts that are missing or do not fit. */
  readonly mistakes: number;
}

/**
 * The member of a union that was probably meant by a value that fits none of them: the one that most of the value's keys (or of
 * its items) belong to, of those the one with the fewest mistakes. Nothing where two are equally near, or nothing is
 * shared with any: then it is better to list them.
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
    } else if (!mayMiss(property, form)) {
      mistakes++;
    }
  }
  return { shared, mistakes };
}
