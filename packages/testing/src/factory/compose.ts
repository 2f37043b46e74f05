import type { Shape } from "@kit/core/codec";

type ObjectShape = Extract<Shape, { kind: "object" }>;

/** Returns true for an object whose properties can be overridden separately, and false for a list, a date or bytes. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  );
}

/**
 * Creates a value of a type with the given properties. For a union, chooses a member that has these properties.
 *
 * @param draw - Creates a random value of a type.
 */
export function composed(shape: Shape, overrides: unknown, draw: (shape: Shape) => unknown): unknown {
  if (!isRecord(overrides)) return overrides;
  const objects = objectsOf(shape);
  const fitting = objects.filter((object) => admits(object, overrides));
  const object = fitting[0] ?? objects[0];
  if (object === undefined) return overrides;
  // If several members of the union fit, the random value decides which of them is used.
  const drawn = draw(fitting.length > 1 ? { kind: "union", members: fitting } : object);
  if (!isRecord(drawn)) return overrides;
  const member = fitting.find((candidate) => admits(candidate, drawn)) ?? object;
  const entries = new Map(Object.entries(drawn));
  for (const [key, given] of Object.entries(overrides)) {
    const property = member.properties.find((candidate) => candidate.key === key);
    if (given === undefined) entries.delete(key);
    else entries.set(key, property === undefined ? given : composed(property.shape, given, draw));
  }
  return Object.fromEntries(entries);
}

/** Returns the object types in a type: several types for a union of objects. */
function objectsOf(shape: Shape, seen: Set<Shape> = new Set()): ObjectShape[] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  if (shape.kind === "reference") return objectsOf(shape.to(), seen);
  if (shape.kind === "union") return shape.members.flatMap((member) => objectsOf(member, seen));
  return shape.kind === "object" ? [shape] : [];
}

/**
 * Returns true if an object type can have the given properties: the type declares their names, and its literal
 * types accept their values.
 */
function admits(shape: ObjectShape, given: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(given).every(([key, value]) => {
    const property = shape.properties.find((candidate) => candidate.key === key);
    if (property === undefined) return shape.index !== undefined;
    return value === undefined || mayHold(property.shape, value);
  });
}

function mayHold(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case "reference":
      return mayHold(shape.to(), value);
    case "union":
      return shape.members.some((member) => mayHold(member, value));
    case "literal":
      return shape.value === value;
    case "never":
      return false;
    case "null":
      return value === null;
    case "object":
      return isRecord(value) && admits(shape, value);
    case "array":
    case "tuple":
      return Array.isArray(value);
    default:
      return !isRecord(value) && !Array.isArray(value);
  }
}
