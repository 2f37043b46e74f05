/**
 * Creates values that satisfy a shape, and mutations of these values with one error each. Tests of `is` and `failures`
 * need them. They are created from the shape alone, without the functions under test.
 */
import type { Shape } from "@kit/core/codec";

import samples from "../../../testing/src/values/samples.json" with { type: "json" };

/** Value with one error. */
export interface InvalidValue {
  readonly value: unknown;
  /** JSONPath of the error. */
  readonly path: string;
  /** Description of the mutation. */
  readonly how: string;
  /**
   * False inside of a union without a discriminant. If false, the failure may be reported for the whole
   * union.
   */
  readonly exact: boolean;
}

type Kind<K extends Shape["kind"]> = Extract<Shape, { readonly kind: K }>;

/** Strings that match patterns of the fixtures. */
const TEXTS = ["abc", "ABC", "a1", "AB-1", "1", "a-b", "A1", "abcdef", "A", "a/B", "12", "true"];

/** Depth at which a recursive type must end. */
const DEEP = 3;

class TooDeep extends Error {}

/** Returns a valid value. With `full`, every optional property and element is present, otherwise none. */
export function validValue(shape: Shape, full: boolean, depth: number = 0): unknown {
  switch (shape.kind) {
    case "reference":
      if (shape.recursive && depth > DEEP) throw new TooDeep("a recursive type does not end");
      return validValue(shape.to(), full && depth < DEEP, depth + (shape.recursive ? 1 : 0));
    case "unknown":
      return { any: [1] };
    case "never":
      throw new TooDeep("nothing fits never");
    case "null":
      return null;
    case "boolean":
      return true;
    case "date":
    case "bytes":
      return samples.types[shape.kind].valid;
    case "literal":
      return typeof shape.value === "bigint" ? shape.value.toString() : shape.value;
    case "number":
    case "bigint":
      return validNumber(shape);
    case "string":
      return validString(shape);
    case "template":
      return validTemplateString(shape);
    case "array":
      return validArray(shape, full, depth);
    case "tuple":
      return shape.elements
        .filter((element) => full || !(element.optional || element.rest))
        .map((element) => validValue(element.shape, full, depth));
    case "object":
      return validObject(shape, full, depth);
    case "union":
      return validMember(shape, full, depth);
  }
}

function validNumber(shape: Kind<"number" | "bigint">): unknown {
  const step = shape.multipleOf ?? (shape.integer || shape.kind === "bigint" ? 1 : 0.5);
  const least =
    shape.minimum ?? (shape.exclusiveMinimum === undefined ? undefined : shape.exclusiveMinimum + step);
  const most =
    shape.maximum ?? (shape.exclusiveMaximum === undefined ? undefined : shape.exclusiveMaximum - step);
  const number = Math.ceil((least ?? Math.min(most ?? step, step)) / step) * step;
  const value = most !== undefined && number > most ? (least ?? most) / 2 + most / 2 : number;
  // Returns all digits of the number, not its shortest string.
  return shape.kind === "bigint" ? BigInt(value).toString() : value;
}

function validString(shape: Kind<"string">): string {
  if (shape.format !== undefined) return samples.formats[shape.format].valid;
  const { pattern } = shape;
  const least = shape.minLength ?? 0;
  const candidates = pattern === undefined ? ["x".repeat(Math.max(least, 1)), "x".repeat(least)] : TEXTS;
  return found(candidates, (text) => {
    const right = text.length >= least && text.length <= (shape.maxLength ?? Number.POSITIVE_INFINITY);
    return right && (pattern === undefined || pattern.test(text));
  });
}

function validTemplateString({ source, texts }: Kind<"template">): string {
  const text = source.replaceAll(/\$\{([^}]*)\}/g, (_, hole: string) => {
    const literal = /^"([^"]*)"/.exec(hole);
    if (literal !== null) return literal[1] as string;
    return hole === "number" || hole === "bigint" ? "5" : hole.startsWith("boolean") ? "true" : "abc";
  });
  return found([text], (candidate) => texts.test(candidate));
}

function found(candidates: readonly string[], fits: (text: string) => boolean): string {
  const text = candidates.find(fits);
  if (text === undefined) throw new Error(`add a text that fits; tried ${candidates.join(", ")}`);
  return text;
}

function validArray(shape: Kind<"array">, full: boolean, depth: number): unknown[] {
  const length = Math.max(shape.minItems ?? 0, full ? Math.min(1, shape.maxItems ?? 1) : 0);
  if (length === 0) return [];
  const item = validValue(shape.element, full, depth);
  return Array.from({ length }, (_, index) =>
    shape.uniqueItems && typeof item === "number" ? item + index : item,
  );
}

function validObject(shape: Kind<"object">, full: boolean, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const property of shape.properties) {
    if (full || property.optional === undefined) {
      try {
        entries.push([property.key, validValue(property.shape, full, depth)]);
      } catch (error) {
        if (!(error instanceof TooDeep) || property.optional === undefined) throw error;
      }
    }
  }
  // Uses no assignment, because a property may be named `__proto__`.
  return Object.fromEntries(entries);
}

function validMember(shape: Kind<"union">, full: boolean, depth: number): unknown {
  let last: unknown;
  // The last member is often an object or array.
  for (const member of full ? shape.members.toReversed() : shape.members) {
    try {
      return validValue(member, full, depth);
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error;
      last = error;
    }
  }
  throw last;
}

/** Yields every mutation of a valid value with one error. */
export function* invalidValues(
  shape: Shape,
  value: unknown,
  path: string = "$",
  exact: boolean = true,
): Generator<InvalidValue> {
  const at = (how: string, wrong: unknown): InvalidValue => ({ value: wrong, path, how, exact });
  switch (shape.kind) {
    case "reference":
      yield* invalidValues(shape.to(), value, path, exact);
      return;
    case "unknown":
    case "never":
      return;
    case "number":
    case "bigint":
      yield* wrongKinds(shape, at);
      for (const [how, number] of wrongNumbers(shape))
        yield at(how, shape.kind === "bigint" ? `${number}` : number);
      return;
    case "string":
      yield* wrongKinds(shape, at);
      for (const [how, text] of wrongTexts(shape)) yield at(how, text);
      return;
    case "literal":
      yield* wrongKinds(shape, at);
      if (typeof shape.value === "string") yield at("another literal", `${shape.value}~`);
      if (typeof shape.value === "number") yield at("another literal", shape.value + 1);
      if (typeof shape.value === "boolean") yield at("another literal", !shape.value);
      if (typeof shape.value === "bigint") yield at("another literal", `${shape.value + 1n}`);
      return;
    case "array":
      yield* wrongKinds(shape, at);
      yield* wrongItems(shape, value as unknown[], path, exact);
      return;
    case "tuple":
      yield* wrongKinds(shape, at);
      yield* wrongElements(shape, value as unknown[], path, exact);
      return;
    case "object":
      yield* wrongKinds(shape, at);
      yield* wrongProperties(shape, value as Record<string, unknown>, path, exact);
      return;
    case "union":
      yield* wrongMembers(shape, value, path, exact);
      return;
    default:
      yield* wrongKinds(shape, at);
  }
}

function* wrongKinds(
  shape: Shape,
  at: (how: string, wrong: unknown) => InvalidValue,
): Generator<InvalidValue> {
  const taken = new Set(kindsOf(shape));
  for (const [kind, wrong] of Object.entries<unknown>(samples.jsonTypes)) {
    if (!taken.has(kind)) yield at(`${kind} instead`, wrong);
  }
  // These types are strings on the wire, but not every string is valid.
  if (
    shape.kind === "date" ||
    shape.kind === "bytes" ||
    shape.kind === "bigint" ||
    shape.kind === "template"
  ) {
    yield at("text of another form", "~ ~");
  }
  if (shape.kind === "date" || shape.kind === "bytes" || shape.kind === "bigint") {
    for (const wrong of samples.types[shape.kind].broken) yield at(`no ${shape.kind}`, wrong);
  }
}

/** Returns the JSON types that a shape may accept. */
function kindsOf(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case "reference":
      return kindsOf(shape.to());
    case "union":
      return shape.members.flatMap(kindsOf);
    case "unknown":
      return ["null", "boolean", "number", "string", "array", "object"];
    case "date":
    case "bytes":
    case "template":
      return ["string"];
    case "bigint":
      return ["string", "number"];
    case "literal":
      return typeof shape.value === "bigint" ? ["string", "number"] : [typeof shape.value];
    case "tuple":
      return ["array"];
    default:
      return [shape.kind];
  }
}

function* wrongNumbers(shape: Kind<"number" | "bigint">): Generator<[string, number]> {
  const step = shape.kind === "bigint" || shape.integer ? 1 : 0.5;
  if (shape.minimum !== undefined) yield ["below the minimum", shape.minimum - step];
  if (shape.maximum !== undefined) yield ["above the maximum", shape.maximum + step];
  if (shape.exclusiveMinimum !== undefined) yield ["the exclusive minimum itself", shape.exclusiveMinimum];
  if (shape.exclusiveMaximum !== undefined) yield ["the exclusive maximum itself", shape.exclusiveMaximum];
  if (shape.multipleOf !== undefined && (shape.kind === "number" || shape.multipleOf > 1)) {
    const middle = validNumber({ ...shape, kind: "number" }) as number;
    yield ["no multiple", middle + (shape.kind === "bigint" ? 1 : shape.multipleOf / 2)];
  }
  if (shape.kind === "number" && shape.integer) {
    yield ["a fraction", (validNumber(shape) as number) + 0.5];
    yield ["no safe integer", 2 ** 53];
  }
  if (shape.kind === "number") yield ["not finite", Number.POSITIVE_INFINITY];
}

function* wrongTexts(shape: Kind<"string">): Generator<[string, string]> {
  const { minLength = 0, maxLength, format, pattern } = shape;
  if (minLength > 0) {
    yield ["too short", "x".repeat(minLength - 1)];
    yield ["too short in code points", "😀".repeat(minLength - 1)];
  }
  if (maxLength !== undefined) {
    yield ["too long", "x".repeat(maxLength + 1)];
    yield ["too long in code points", "😀".repeat(maxLength + 1)];
  }
  if (format !== undefined) {
    const { valid, broken } = samples.formats[format];
    for (const wrong of [...broken, ` ${valid}`, `${valid}\n`]) yield [`no ${format}`, wrong];
  }
  if (pattern !== undefined)
    yield ["of another pattern", found(["~", "~ ~", " ", ""], (text) => !pattern.test(text))];
}

function* wrongItems(
  shape: Kind<"array">,
  items: unknown[],
  path: string,
  exact: boolean,
): Generator<InvalidValue> {
  const { minItems = 0, maxItems } = shape;
  const [first] = items;
  if (minItems > 0) yield { value: items.slice(0, minItems - 1), path, how: "too few items", exact };
  if (first === undefined) return;
  if (maxItems !== undefined) {
    yield {
      value: Array.from({ length: maxItems + 1 }, (_, index) => items[index] ?? first),
      path,
      how: "too many items",
      exact,
    };
  }
  if (shape.uniqueItems) yield { value: [first, ...items], path, how: "equal items", exact };
  for (const index of [0, items.length - 1]) {
    for (const invalid of invalidValues(shape.element, items[index], `${path}[${index}]`, exact)) {
      if (shape.uniqueItems && items.includes(invalid.value)) continue;
      yield { ...invalid, value: items.with(index, invalid.value) };
    }
  }
}

function* wrongElements(
  shape: Kind<"tuple">,
  items: unknown[],
  path: string,
  exact: boolean,
): Generator<InvalidValue> {
  const { elements } = shape;
  const least = elements.filter((element) => !element.optional && !element.rest).length;
  if (least > 0) yield { value: items.slice(0, least - 1), path, how: "an element missing", exact };
  if (elements.some((element) => element.rest)) return;
  if (items.length === elements.length)
    yield { value: [...items, 1], path, how: "an element too many", exact };
  for (const [index, item] of items.entries()) {
    const element = elements[index];
    if (element === undefined) continue;
    for (const invalid of invalidValues(element.shape, item, `${path}[${index}]`, exact)) {
      yield { ...invalid, value: items.with(index, invalid.value) };
    }
  }
}

function* wrongProperties(
  shape: Kind<"object">,
  value: Record<string, unknown>,
  path: string,
  exact: boolean,
): Generator<InvalidValue> {
  const changed = (key: string, item: unknown): unknown =>
    Object.fromEntries([...Object.entries(value).filter(([other]) => other !== key), [key, item]]);
  for (const { key, shape: inner, optional } of shape.properties) {
    const place = /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
    if (optional === undefined) {
      const others = Object.entries(value).filter(([other]) => other !== key);
      yield { value: Object.fromEntries(others), path: place, how: "a property missing", exact };
    }
    if (!Object.hasOwn(value, key)) continue;
    for (const invalid of invalidValues(inner, value[key], place, exact)) {
      yield { ...invalid, value: changed(key, invalid.value) };
    }
  }
  const everyKey = shape.index?.find((signature) => signature.keys === "string");
  if (everyKey === undefined) return;
  for (const invalid of invalidValues(everyKey.shape, undefined, `${path}["other key"]`, exact)) {
    // Only mutations that need no valid value to start from.
    if (invalid.path === `${path}["other key"]`)
      yield { ...invalid, value: changed("other key", invalid.value) };
  }
}

function* wrongMembers(
  shape: Kind<"union">,
  value: unknown,
  path: string,
  exact: boolean,
): Generator<InvalidValue> {
  yield* wrongKinds(shape, (how, wrong) => ({ value: wrong, path, how, exact: false }));
  for (const member of shape.members) {
    // If a literal determines the member, an error inside of the member has its own path.
    const tag = tagOf(shape, member);
    if (tag === undefined) continue;
    let right: unknown;
    try {
      right = validValue(member, true, DEEP - 1);
    } catch (error) {
      if (error instanceof TooDeep) continue;
      throw error;
    }
    for (const invalid of invalidValues(member, right, path, exact)) {
      // The other boolean is the literal of another member.
      const another =
        invalid.path === `${path}.${tag}` && typeof propertyOf(invalid.value, tag) === "boolean";
      if (invalid.path !== path && !another) yield invalid;
    }
  }
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Returns the property that distinguishes all object members of a union. */
function tagOf(shape: Kind<"union">, member: Shape): string | undefined {
  const objects = shape.members.map(behind).filter((other) => other.kind === "object");
  const own = behind(member);
  if (own.kind !== "object" || objects.length < 2) return undefined;
  return own.properties.find(({ key }) => {
    const literals = objects.map((other) => {
      const property = other.properties.find((candidate) => candidate.key === key);
      return property?.optional === undefined && property?.shape.kind === "literal"
        ? property.shape.value
        : undefined;
    });
    return !literals.includes(undefined) && new Set(literals).size === objects.length;
  })?.key;
}

function behind(shape: Shape): Exclude<Shape, { readonly kind: "reference" }> {
  return shape.kind === "reference" ? behind(shape.to()) : shape;
}
