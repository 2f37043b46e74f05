// Decides if a JSON value is valid for a model. kit's validators must decide the same.

import { FORMATS } from "./texts.ts";
import {
  type DictionaryModel,
  KEY_RULES,
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

/** Returns true if the value is valid for the model. */
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
        (known.keys !== "ruled" ||
          Object.keys(value).every((key) => acceptsText({ kind: "text", ...KEY_RULES }, key))) &&
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

/** Returns true if a dictionary accepts a key, and false if it drops the key. */
export function takesKey(keys: DictionaryModel["keys"], key: string): boolean {
  if (keys === "string" || keys === "ruled") return true;
  return keys === "number" ? /^(0|[1-9]\d*)$/.test(key) : key.startsWith("x-");
}

/** Returns true if the value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if a string is a timestamp in UTC. The generated values contain no other timestamps. */
function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return false;
  const time = new Date(text);
  // `Date` converts a day that does not exist to a day of the next month.
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
    // The multiples in this test are halves and integers, which floating-point numbers represent exactly.
    (model.multiple === undefined || value % model.multiple === 0)
  );
}

/** Tests of the strings that `${number}` and `${bigint}` in a template accept. */
const FILLS = {
  number: (text: string) => text !== "" && Number.isFinite(Number(text)),
  bigint: (text: string) => /^-?\d+$/.test(text),
} as const;

/**
 * Returns true if a string matches a template literal type. TypeScript expands `${boolean}` to two templates, with `true` and with `false`.
 */
export function acceptsTemplate(model: TemplateModel, value: string): boolean {
  if ([...value].length > (model.most ?? Infinity)) return false;
  let variants: TemplateModel["parts"][number][][] = [[]];
  for (const part of model.parts) {
    const choices = typeof part === "object" && part.hole === "boolean" ? ["true", "false"] : [part];
    variants = variants.flatMap((parts) => choices.map((choice) => parts.concat([choice])));
  }
  return variants.some((parts) => fits(parts, value));
}

/**
 * Divides a string among the parts of a template as TypeScript does. A hole such as `${string}` ends at the first occurrence of the text
 * that follows it. A hole directly before another hole is one character.
 */
function fits(parts: TemplateModel["parts"], text: string): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return text === "";
  if (typeof part === "string") return text.startsWith(part) && fits(rest, text.slice(part.length));
  let behind = "";
  let after = 0;
  for (; typeof rest[after] === "string"; after += 1) behind += rest[after] as string;
  const isLast = after === rest.length;
  let end: number;
  // The last text of a template must be at the end of the string.
  if (isLast) end = text.length - behind.length;
  else if (behind === "") end = [...text][0]?.length ?? -1;
  else end = text.indexOf(behind);
  if (end < 0) return false;
  const filled = text.slice(0, end);
  if (part.hole !== "string" && part.hole !== "boolean" && !FILLS[part.hole](filled)) return false;
  return fits(rest, text.slice(end));
}
