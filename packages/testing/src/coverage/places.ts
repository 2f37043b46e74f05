import { MAX_DEPTH, type Shape } from "@kit/core/codec";

import type { Slot } from "./contracts.ts";
import { alternatives, fits, type Resolved, resolve, type Position } from "./rules.ts";

/** Place in a type: the type itself, a property, an item of a list or a member of a union. Each place has its own rules. */
export interface SchemaPlace {
  /**
   * Path of the value, such as `$.items[].name`. All items of a list have the same path. In a recursive type, all levels have
   * the path of the first level.
   */
  readonly path: string;
  readonly shape: Resolved;
  readonly position: Position;
  /** True if the property may be missing; `undefined` if the place is not a property. */
  readonly optional?: boolean;
  /** True if the place is a property of an object. */
  readonly isField: boolean;
  /**
   * True for a property whose value selects the member of a union, such as `kind`. An invalid value of the property counts as a failure
   * of the union.
   */
  readonly isDiscriminant: boolean;
  /** True if the type at this place can contain itself. */
  isRecursive: boolean;
}

/** Place, with the value of one request at this place. */
export interface FilledSchemaPlace extends SchemaPlace {
  /** Exact path, with the index of each item: `$.items[3].name`. */
  readonly at: string;
  readonly value: unknown;
}

/** State of a walk through a type when it reaches a place. */
interface WalkState {
  readonly path: string;
  readonly at: string;
  readonly slot: Slot;
  readonly property?: { readonly optional: boolean; readonly isDiscriminant: boolean };
  readonly isItem?: boolean;
  readonly isMember?: boolean;
  /** Types that contain themselves and whose places the walk is visiting, each with the path of its outermost level. */
  readonly entered: ReadonlyMap<Shape, string>;
  /** Paths in `entered` of the types whose inner level the walk has reached. */
  readonly reentered: Set<string>;
  /** Number of inner levels of recursive types around the current place. */
  readonly depth: number;
}

/** Represents a missing value, because the walk visits only a type. */
const NOTHING: unique symbol = Symbol("nothing");

/** Returns every place in the type of a slot. */
export function placesOf(slot: Slot, shape: Shape): SchemaPlace[] {
  return filledPlacesOf(slot, shape, NOTHING);
}

/**
 * Returns the places of a type that a value fills, and the places of missing properties. For a union, uses the first member that
 * accepts the value. If no member accepts the value, uses all members.
 */
export function filledPlacesOf(slot: Slot, shape: Shape, value: unknown): FilledSchemaPlace[] {
  const reentered = new Set<string>();
  const entered = new Map([[resolve(shape), "$"]]);
  const places = [...walk(shape, value, { path: "$", at: "$", slot, entered, reentered, depth: 0 })];
  for (const place of places) {
    place.isRecursive = reentered.has(place.path) && !place.position.isMember;
  }
  return places;
}

function* walk(shape: Shape, value: unknown, way: WalkState): Generator<FilledSchemaPlace, void> {
  const isKnown = value === NOTHING;
  const resolved = resolve(shape);
  // The type `T | null` has the rules and places of `T`.
  const others = resolved.kind === "union" ? alternatives(resolved).others : [shape];
  const target = others.length === 1 ? (others[0] ?? shape) : shape;
  const { slot, property, isItem = false, isMember = false } = way;
  yield {
    path: way.path,
    at: way.at,
    shape: resolved,
    position: { slot, isRoot: way.at === "$", isItem, isMember },
    value: isKnown ? undefined : value,
    isField: property !== undefined && !isMember,
    isDiscriminant: property?.isDiscriminant === true,
    isRecursive: false,
    ...(property === undefined ? {} : { optional: property.optional }),
  };
  if (!isKnown && value === undefined) return;
  if (way.at === "$" || !canRecur(target)) {
    yield* below(resolve(target), value, way);
    return;
  }
  const first = way.entered.get(resolve(target));
  if (first === undefined) {
    const entered = new Map([...way.entered, [resolve(target), way.path]]);
    yield* below(resolve(target), value, { ...way, entered });
    return;
  }
  way.reentered.add(first);
  // The walk has already returned the places inside of this type.
  if (isKnown || way.depth > MAX_DEPTH) return;
  yield* below(resolve(target), value, { ...way, path: first, depth: way.depth + 1 });
}

function* below(shape: Resolved, value: unknown, way: WalkState): Generator<FilledSchemaPlace, void> {
  const isKnown = value === NOTHING;
  const { path, at, slot, entered, reentered, depth } = way;
  const step = (by: string, exact: string = by): WalkState => ({
    path: path + by,
    at: at + exact,
    slot,
    entered,
    reentered,
    depth,
  });
  switch (shape.kind) {
    case "object":
      for (const { key, shape: inner, optional } of shape.properties) {
        // Validators do not read a property with the name `__proto__`.
        if (key === "__proto__") continue;
        const name = stepTo(key);
        const isDiscriminant = way.isMember === true && resolve(inner).kind === "literal";
        const item: unknown = isKnown ? NOTHING : of(value, key);
        yield* walk(inner, item, {
          ...step(name),
          property: { optional: optional !== undefined, isDiscriminant },
        });
      }
      for (const { shape: inner } of shape.index ?? []) {
        if (isKnown) {
          yield* walk(inner, NOTHING, { ...step("[*]"), isItem: true });
          continue;
        }
        const declared = new Set(shape.properties.map(({ key }) => key));
        const others =
          typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
        for (const [key, item] of others) {
          if (!declared.has(key)) yield* walk(inner, item, { ...step("[*]", stepTo(key)), isItem: true });
        }
      }
      break;
    case "array":
      if (isKnown) yield* walk(shape.element, NOTHING, { ...step("[]"), isItem: true });
      else if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) {
          yield* walk(shape.element, item, { ...step("[]", `[${index}]`), isItem: true });
        }
      }
      break;
    case "tuple":
      for (const [index, element] of shape.elements.entries()) {
        const item: unknown = isKnown
          ? NOTHING
          : Array.isArray(value)
            ? (value as unknown[])[index]
            : undefined;
        yield* walk(element.shape, item, { ...step(`[${index}]`), isItem: true });
      }
      break;
    case "union": {
      const { others } = alternatives(shape);
      for (const member of isKnown ? others : candidates(others, value))
        yield* walk(member, value, { ...way, isMember: true });
      break;
    }
    default:
  }
}

/** Returns the first member of a union that accepts a value, or all members if none does. */
function candidates(members: readonly Shape[], value: unknown): readonly Shape[] {
  const fitting = members.find((member) => fits(member, value));
  return fitting === undefined ? members : [fitting];
}

function canRecur(shape: Shape): boolean {
  return shape.kind === "reference" && (shape.recursive === true || canRecur(shape.to()));
}

/** Returns a key as it is written in a path: `title` gives `.title`, and `odd key` gives `["odd key"]`. */
function stepTo(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Returns the value of an object's own property, or `undefined` if the object lacks the property. */
function of(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (Reflect.get(value, key) as unknown)
    : undefined;
}
