// Whether a parsed JSON value is one of a model: this test's own answer, which kit's is held against.

import { FORMATS } from "./texts.ts";
import {
  type Model,
  type NumberModel,
  type PropertyModel,
  resolve,
  type Subject,
  type TemplateModel,
  type TextModel,
  type TupleModel,
  withCommon,
} from "./model.ts";

/** Whether the value is one of the model. */
export function accepts(model: Model, value: unknown, named: Subject["named"]): boolean {
  const all = (element: Model, items: readonly unknown[]): boolean =>
    items.every((item) => accepts(element, item, named));
  const known = resolve(model, named);
  switch (known.kind) {
    case "unknown":
      return true;
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "date":
      return typeof value === "string" && isTime(value);
    case "bytes":
      return typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value;
    case "bigint":
      return typeof value === "string" ? /^-?\d+$/.test(value) : Number.isSafeInteger(value);
    case "text":
      return typeof value === "string" && acceptsText(known, value);
    case "number":
      return typeof value === "number" && acceptsNumber(known, value);
    case "template":
      return typeof value === "string" && acceptsTemplate(known, value);
    case "choices":
      return known.values.some((choice) =>
        typeof choice === "bigint"
          ? (typeof value === "string" && /^-?\d+$/.test(value) && BigInt(value) === choice) ||
            value === Number(choice)
          : choice === value,
      );
    case "list": {
      if (!Array.isArray(value) || value.length < (known.least ?? 0)) return false;
      if (value.length > (known.most ?? Infinity)) return false;
      const texts = value.map((item) => JSON.stringify(item));
      return (known.unique !== true || new Set(texts).size === texts.length) && all(known.element, value);
    }
    case "tuple":
      return Array.isArray(value) && acceptsTuple(known, value, named);
    case "dictionary":
      return (
        isObject(value) &&
        all(
          known.value,
          Object.entries(value)
            .filter(([key]) => takesKey(known.keys, key))
            .map(([, item]) => item),
        )
      );
    case "object":
      return isObject(value) && known.properties.every((property) => acceptsProperty(property, value, named));
    case "either":
      return known.members.some((member) => accepts(withCommon(known, member), value, named));
  }
}

/** Whether a dictionary has a key, or drops it. */
export function takesKey(keys: "string" | "number" | "template", key: string): boolean {
  if (keys === "string") return true;
  return keys === "number" ? /^(0|[1-9]\d*)$/.test(key) : key.startsWith("x-");
}

/** Whether the value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a text is a time; of those in UTC, which are all that this test writes. */
function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return false;
  const time = new Date(text);
  // A day that the month does not have becomes one of the next.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 10));
}

function acceptsProperty(property: PropertyModel, value: object, named: Subject["named"]): boolean {
  const own = Object.getOwnPropertyDescriptor(value, property.name);
  if (own === undefined) return property.optional || property.fallback !== undefined;
  return accepts(property.type, own.value, named);
}

function acceptsTuple(model: TupleModel, value: readonly unknown[], named: Subject["named"]): boolean {
  const { first, optional, rest, last } = model;
  const least = first.length + last.length;
  if (value.length < least || (rest === undefined && value.length > least + optional.length)) return false;
  return value.every((item, index) => {
    const fromEnd = value.length - index;
    const element =
      fromEnd <= last.length
        ? last[last.length - fromEnd]
        : (first[index] ?? optional[index - first.length] ?? rest);
    return element !== undefined && accepts(element, item, named);
  });
}

function acceptsText(model: TextModel, value: string): boolean {
  const length = [...value].length;
  return (
    length >= (model.least ?? 0) &&
    length <= (model.most ?? Infinity) &&
    (model.pattern === undefined || new RegExp(model.pattern, "u").test(value)) &&
    (model.format === undefined || (FORMATS[model.format]?.right.includes(value) ?? false))
  );
}

function acceptsNumber(model: NumberModel, value: number): boolean {
  return (
    Number.isFinite(value) &&
    (model.integer !== true || Number.isSafeInteger(value)) &&
    value >= (model.minimum ?? -Infinity) &&
    value <= (model.maximum ?? Infinity) &&
    value > (model.above ?? -Infinity) &&
    value < (model.below ?? Infinity) &&
    // Multiples here are halves and whole numbers, which are exact.
    (model.multiple === undefined || value % model.multiple === 0)
  );
}

function acceptsTemplate(model: TemplateModel, value: string): boolean {
  const holes = {
    string: "[^]*",
    number: "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?",
    bigint: "-?\\d+",
    boolean: "(?:true|false)",
  };
  const pattern = model.parts.map((part) =>
    typeof part === "string" ? part.replaceAll(".", "\\.") : holes[part.hole],
  );
  return (
    [...value].length <= (model.most ?? Infinity) && new RegExp(`^${pattern.join("")}$`, "u").test(value)
  );
}
