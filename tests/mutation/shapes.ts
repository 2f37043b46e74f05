/**
 * Breaks the rules of a type, one at a time. A mutant is the generated `Shape` in which one rule is weaker, stricter or missing. Its
 * validator differs from the generated one in that rule only, because conformance tests compare shapes with generated checks.
 *
 * @module
 */
import type { Shape } from "@kit/core/codec";

type ObjectShape = Extract<Shape, { kind: "object" }>;
type PropertyShape = ObjectShape["properties"][number];

/** Shape that differs from the original in one rule. */
export interface Mutant {
  /** Path and name of the rule, and the change. */
  readonly what: string;
  readonly shape: Shape;
}

/** Part of a request that the type describes. Rules that no request can break in that part have no mutants. */
export type Slot = "params" | "query" | "body";

const ANYTHING: Shape = { kind: "unknown" };
/** Maximum length of an email address (RFC 5321). */
const LONGEST_EMAIL = 254;
const BOUNDS = [
  ["minLength", -1],
  ["maxLength", 1],
  ["minItems", -1],
  ["maxItems", 1],
  ["minimum", -1],
  ["maximum", 1],
  ["exclusiveMinimum", -1],
  ["exclusiveMaximum", 1],
] as const;
const FLAGS = ["format", "pattern", "integer", "multipleOf", "uniqueItems"] as const;

/** Returns all mutants of a shape, including those of the shapes within it. */
export function mutantsOf(shape: Shape, slot: Slot, path = "$", visited: readonly Shape[] = []): Mutant[] {
  if (shape.kind === "reference") {
    const target = shape.to();
    if (visited.includes(target)) return [];
    return mutantsOf(target, slot, path, [...visited, target]);
  }
  return [...ownMutants(shape, slot, path), ...innerMutants(shape, slot, path, visited)];
}

/** Returns the mutants of the rules that the shape itself has. */
function ownMutants(shape: Shape, slot: Slot, path: string): Mutant[] {
  const found: Mutant[] = [];
  const rules = shape as unknown as Readonly<Record<string, unknown>>;
  const changed = (rule: string, value: unknown): Shape => {
    const { explain: _, isItem: __, ...rest } = rules;
    return (value === undefined ? without(rest, rule) : { ...rest, [rule]: value }) as unknown as Shape;
  };
  for (const [rule, laxer] of BOUNDS) {
    const bound = rules[rule];
    if (typeof bound !== "number") continue;
    // An email address is never longer than this, so a greater limit has no effect.
    if (rule === "maxLength" && rules["format"] === "email" && bound > LONGEST_EMAIL) continue;
    for (const step of [laxer, -laxer]) {
      const moved = bound + step;
      const isLength = rule.endsWith("Length") || rule.endsWith("Items");
      // A length is never below 0. A path segment is never empty, and a list in a query has at least one
      // item.
      const least = isLength && slot !== "body" && (rule === "minItems" || slot === "params") ? 1 : 0;
      if (isLength && moved < least) continue;
      found.push({ what: `${path}: ${rule} ${bound} becomes ${moved}`, shape: changed(rule, moved) });
    }
  }
  for (const rule of FLAGS) {
    if (rules[rule] === undefined) continue;
    found.push({ what: `${path}: ${rule} is gone`, shape: changed(rule, undefined) });
  }
  if (shape.kind === "union") {
    for (const [index, member] of shape.members.entries()) {
      if (member.kind === "null" && slot !== "body") continue;
      const members = shape.members.filter((_, other) => other !== index);
      found.push({ what: `${path}: member ${index + 1} of the union is gone`, shape: { ...shape, members } });
    }
  }
  // Path parameters are always strings, and params and query are always objects, so these rules cannot be
  // broken.
  const isGiven = (slot === "params" && shape.kind === "string") || (slot !== "body" && path === "$");
  if (!isGiven && shape.kind !== "unknown" && shape.kind !== "union") {
    found.push({ what: `${path}: anything is taken`, shape: ANYTHING });
  }
  return found;
}

/** Returns the mutants of the shapes within a shape. */
function innerMutants(shape: Shape, slot: Slot, path: string, visited: readonly Shape[]): Mutant[] {
  switch (shape.kind) {
    case "object":
      return shape.properties.flatMap((property, index) => {
        const replaced = (by: PropertyShape): Shape => ({
          ...without(shape, "explain"),
          properties: shape.properties.map((other, at) => (at === index ? by : other)),
        });
        const at = `${path}.${property.key}`;
        const { optional, ...required } = property;
        const presence: Mutant =
          optional === undefined
            ? { what: `${at}: may be missing`, shape: replaced({ ...required, optional: "always" }) }
            : { what: `${at}: may not be missing`, shape: replaced(required) };
        const inner = mutantsOf(property.shape, slot, at, visited);
        const nullable: Shape = { kind: "union", members: [property.shape, { kind: "null" }] };
        const takesNull = admitsNull(property.shape);
        return [
          // A path without its parameter is the path of another route.
          ...(slot === "params" ? [] : [presence]),
          ...(slot !== "body" || takesNull
            ? []
            : [{ what: `${at}: may be null`, shape: replaced({ ...property, shape: nullable }) }]),
          ...inner.map((mutant) => ({
            what: mutant.what,
            shape: replaced({ ...property, shape: mutant.shape }),
          })),
        ];
      });
    case "array":
      return mutantsOf(shape.element, slot, `${path}[0]`, visited).map(({ what, shape: element }) => ({
        what,
        shape: { ...without(shape, "isItem"), element },
      }));
    case "tuple":
      return shape.elements.flatMap((element, index) =>
        mutantsOf(element.shape, slot, `${path}[${index}]`, visited).map(({ what, shape: inner }) => ({
          what,
          shape: {
            ...shape,
            elements: shape.elements.map((other, at) => (at === index ? { ...other, shape: inner } : other)),
          },
        })),
      );
    case "union":
      return shape.members.flatMap((member, index) =>
        mutantsOf(member, slot, path, visited)
          .filter(({ shape: inner }) => inner !== ANYTHING)
          .map(({ what, shape: inner }) => ({
            what: `${what} (member ${index + 1})`,
            shape: { ...shape, members: shape.members.map((other, at) => (at === index ? inner : other)) },
          })),
      );
    default:
      return [];
  }
}

function admitsNull(shape: Shape): boolean {
  if (shape.kind === "reference") return admitsNull(shape.to());
  if (shape.kind === "union") return shape.members.some(admitsNull);
  return shape.kind === "null" || shape.kind === "unknown";
}

function without<T extends object>(value: T, key: string): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as T;
}
