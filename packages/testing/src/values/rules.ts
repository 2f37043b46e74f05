import { explain, type Form, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import { arbitrary } from "./arbitrary.ts";
import { bigints, numbers } from "./numbers.ts";
import samples from "./samples.json" with { type: "json" };
import {
  FirstOfArbitrary,
  either,
  fits,
  FilteredArbitrary,
  NoValueError,
  type NumberShape,
  type ShapeOf,
  type TextRules,
} from "./support.ts";
import { readableTexts, texts } from "./texts.ts";

/** Name of a rule that a value can break. */
export type RuleName =
  | "required"
  | "null"
  | "type"
  | "enum"
  | "format"
  | "pattern"
  | "template"
  | "minLength"
  | "maxLength"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "integer"
  | "length"
  | "minItems"
  | "maxItems"
  | "uniqueItems";

/** Rule, with values that break the rule and satisfy all other rules of the type. */
export interface RuleViolation {
  readonly rule: RuleName;
  readonly given: fc.Arbitrary<unknown>;
}

/** Maximum length of generated strings, in characters. Servers refuse longer values because of their size. */
const LONGEST = 100_000;

/** Returns the rules of a type that values can break. The rules of nested types are not included. */
export function violationsOf(shape: Shape, form: Form, readable: boolean): RuleViolation[] {
  const members = membersOf(shape);
  const violations: RuleViolation[] = [];
  const kinds = new Set(members.flatMap((member) => kindsOf(member, form)));
  const others = Object.entries<unknown>(samples.jsonTypes)
    .filter(([kind]) => !kinds.has(kind) && kind !== "null")
    .map(([, value]) => value);
  if (!kinds.has("any")) {
    if (!kinds.has("null")) violations.push({ rule: "null", given: fc.constant(null) });
    if (others.length > 0) violations.push({ rule: "type", given: fc.constantFrom(...others) });
  }
  violations.push(...listed(members, form));
  for (const member of members) violations.push(...ruled(member, form, readable));
  return violations;
}

/** Returns the types that remain after unions are split and references are replaced by their types. */
function membersOf(
  shape: Shape,
  seen: Set<Shape> = new Set(),
): Exclude<Shape, { kind: "reference" | "union" }>[] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  if (shape.kind === "reference") return membersOf(shape.to(), seen);
  if (shape.kind === "union") return shape.members.flatMap((member) => membersOf(member, seen));
  return [shape];
}

/** Returns the JSON types of valid values. `any` means all types. */
function kindsOf(shape: Shape, form: Form): string[] {
  switch (shape.kind) {
    case "unknown":
      return ["any"];
    case "never":
      return [];
    case "null":
    case "boolean":
    case "string":
    case "number":
      return [shape.kind];
    case "template":
      return ["string"];
    case "date":
      return form === "wire" ? ["string"] : ["date"];
    case "bytes":
      return form === "wire" ? ["string"] : ["bytes"];
    case "bigint":
      return form === "wire" ? ["string", "number"] : ["bigint"];
    case "literal":
      return typeof shape.value === "bigint"
        ? form === "wire"
          ? ["string", "number"]
          : ["bigint"]
        : [typeof shape.value];
    case "array":
    case "tuple":
      return ["array"];
    default:
      return ["object"];
  }
}

/** Returns the rule that a value is one of several literals, with values that break the rule. */
function listed(members: readonly Shape[], form: Form): RuleViolation[] {
  const values = members.flatMap((member) => (member.kind === "literal" ? [member.value] : []));
  if (values.length === 0) return [];
  const isNone = (value: unknown): boolean => members.every((member) => !fits(member, value, form));
  const candidates: unknown[] = [];
  for (const value of values) {
    if (typeof value === "string") candidates.push(`${value}!`, "none of these");
    else if (typeof value === "number") candidates.push(value + 1, value - 1, value + 1000);
    else if (typeof value === "boolean") candidates.push(!value);
    else candidates.push(form === "wire" ? (value + 1n).toString() : value + 1n);
  }
  const wrong = candidates.filter(isNone);
  return wrong.length === 0 ? [] : [{ rule: "enum", given: fc.constantFrom(...wrong) }];
}

function ruled(shape: Shape, form: Form, readable: boolean): RuleViolation[] {
  switch (shape.kind) {
    case "string":
      return ofText(shape, readable);
    case "template": {
      const { kind: _, texts: test, source, ...rules } = shape;
      const other = texts({
        ...rules,
        maxLength: Math.min(rules.maxLength ?? Infinity, (rules.minLength ?? 0) + 20),
      });
      const wrong = kept(other, (text) => !test.test(text as string), `of the form \`${source}\``);
      return [
        { rule: "template", given: wrong },
        ...ofText({ ...rules, kind: "string" }, readable, { texts: test, source }),
      ];
    }
    case "number":
    case "bigint":
      return ofNumber(shape, form);
    case "date":
    case "bytes":
      return form === "wire"
        ? [{ rule: "format", given: fc.constantFrom(...samples.types[shape.kind].broken) }]
        : [];
    case "array":
      return ofArray(shape, form);
    case "tuple":
      return ofTuple(shape, form);
    default:
      return [];
  }
}

type Template = Pick<ShapeOf<"template">, "texts" | "source">;

/** Returns a copy of rules without the named rule. */
function without<R extends object>(rules: R, rule: string): R {
  const { [rule]: _, ...rest } = rules as R & Record<string, unknown>;
  return rest as unknown as R;
}

function kept(
  inner: fc.Arbitrary<unknown>,
  passes: (value: unknown) => boolean,
  rule: string,
): fc.Arbitrary<unknown> {
  return new FilteredArbitrary(
    inner,
    passes,
    () => `value that breaks ${rule} and satisfies the other rules of its type`,
  );
}

/** Returns a rule with values that break it and satisfy all other rules of the type. */
function breaking(shape: Shape, rule: RuleName, form: Form, inner: fc.Arbitrary<unknown>): RuleViolation {
  const loose = without(shape, rule);
  return { rule, given: kept(inner, (value) => fits(loose, value, form) && !fits(shape, value, form), rule) };
}

function ofText(shape: ShapeOf<"string">, readable: boolean, template?: Template): RuleViolation[] {
  const { kind: _, isKey: __, ...rules } = shape;
  const { minLength, maxLength, format, pattern } = rules;
  const whole: Shape = template === undefined ? shape : { ...rules, ...template, kind: "template" };
  const like = (given: TextRules): fc.Arbitrary<unknown> => {
    if (template !== undefined) return arbitrary({ ...given, ...template, kind: "template" });
    return readable ? readableTexts(given, "") : texts(given);
  };
  const violations: RuleViolation[] = [];
  const add = (rule: RuleName, ...choices: readonly fc.Arbitrary<unknown>[]): void => {
    violations.push(breaking(whole, rule, "wire", new FirstOfArbitrary(choices)));
  };
  if (minLength !== undefined && minLength > 0) {
    add("minLength", like({ ...without(rules, "minLength"), maxLength: minLength - 1 }));
  }
  if (maxLength !== undefined && maxLength < LONGEST) {
    const [loose, length] = [without(rules, "maxLength"), maxLength + 1];
    add(
      "maxLength",
      like({ ...loose, minLength: length, maxLength: length }),
      like({ ...loose, minLength: length }),
    );
  }
  if (format !== undefined) {
    const mistaken = fc.constantFrom(...samples.formats[format].broken);
    const loose = like(without(rules, "format"));
    // A readable value should be nearly valid, so such strings are tried first.
    if (readable) {
      const nearest = [mistaken, loose].map((inner) => breaking(whole, "format", "wire", inner).given);
      violations.push({ rule: "format", given: new FirstOfArbitrary(nearest, true) });
    } else add("format", mistaken, mistaken, loose);
  }
  if (pattern !== undefined) {
    const loose = without(rules, "pattern");
    // Nearly valid strings find more mistakes than completely different ones.
    const nearly = fc
      .tuple(like(rules), fc.constantFrom(...samples.excludedCharacters, ""), fc.nat({ max: 40 }))
      .map(([text, other, place]) => {
        const characters = [...(text as string)];
        return characters.toSpliced(place % (characters.length + 1), 1, other).join("");
      });
    const mistaken = [nearly, like(loose), uniform(loose)];
    if (rules.words === undefined) add("pattern", ...mistaken);
    else violations.push(...ofDecimal(whole, rules.bounds ?? {}, new FirstOfArbitrary(mistaken)));
  }
  return violations;
}

/** Returns the rules of a decimal number as text: its bounds, and its digits, which validators call the format `decimal`. */
function ofDecimal(
  shape: Shape,
  bounds: NonNullable<TextRules["bounds"]>,
  mistaken: fc.Arbitrary<unknown>,
): RuleViolation[] {
  const add = (rule: keyof typeof bounds | "format", inner: fc.Arbitrary<unknown>): RuleViolation => ({
    rule,
    given: kept(inner, (value) => explain(shape, value, "wire", 1)[0]?.rule === rule, rule),
  });
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds;
  const violations: RuleViolation[] = [];
  if (minimum !== undefined) violations.push(add("minimum", beyond(minimum, -1n)));
  if (maximum !== undefined) violations.push(add("maximum", beyond(maximum, 1n)));
  if (exclusiveMinimum !== undefined) violations.push(add("exclusiveMinimum", beyond(exclusiveMinimum, -1n)));
  if (exclusiveMaximum !== undefined) violations.push(add("exclusiveMaximum", beyond(exclusiveMaximum, 1n)));
  violations.push(add("format", mistaken));
  return violations;
}

/** Returns decimal numbers as text: the bound, and numbers on one side of the bound. */
function beyond(bound: string, direction: 1n | -1n): fc.Arbitrary<string> {
  const digits = (bound.split(".")[1] ?? "").length;
  const at = BigInt(bound.replace(".", ""));
  return fc.nat({ max: 1000 }).map((steps) => {
    const number = at + direction * BigInt(steps);
    const text = (number < 0n ? -number : number).toString().padStart(digits + 1, "0");
    const [whole, fraction] = [text.slice(0, text.length - digits), text.slice(text.length - digits)];
    return `${number < 0n ? "-" : ""}${whole}${digits === 0 ? "" : `.${fraction}`}`;
  });
}

/** Returns strings that repeat one character. */
function uniform({ minLength = 1, maxLength = Infinity }: TextRules): fc.Arbitrary<string> {
  const length = Math.min(Math.max(1, minLength), maxLength);
  return fc.constantFrom(...samples.excludedCharacters).map((character) => character.repeat(length));
}

function ofNumber(shape: NumberShape, form: Form): RuleViolation[] {
  const violations: RuleViolation[] = [];
  const { kind, ...rules } = shape;
  const isBig = kind === "bigint";
  const formed = (value: bigint): unknown => (form === "wire" ? value.toString() : value);
  const add = (rule: RuleName, changed: Partial<typeof rules>): void => {
    const { [rule as keyof typeof rules]: _, ...rest } = rules;
    const all = { ...rest, ...changed };
    try {
      const inner: fc.Arbitrary<unknown> = isBig
        ? bigints(all, true).map(formed)
        : either([3, numbers(all, true)], [1, numbers(all, false)]);
      violations.push(breaking(shape, rule, form, inner));
    } catch (error) {
      // No number breaks this bound and satisfies the other rules.
      if (!(error instanceof NoValueError)) throw error;
    }
  };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, integer } = rules;
  if (minimum !== undefined)
    add("minimum", { exclusiveMaximum: Math.min(minimum, exclusiveMaximum ?? Infinity) });
  if (maximum !== undefined)
    add("maximum", { exclusiveMinimum: Math.max(maximum, exclusiveMinimum ?? -Infinity) });
  if (exclusiveMinimum !== undefined)
    add("exclusiveMinimum", { maximum: Math.min(exclusiveMinimum, maximum ?? Infinity) });
  if (exclusiveMaximum !== undefined)
    add("exclusiveMaximum", { minimum: Math.max(exclusiveMaximum, minimum ?? -Infinity) });
  if (multipleOf !== undefined) add("multipleOf", {});
  if (integer !== undefined && !isBig) add("integer", {});
  if (isBig && form === "wire")
    violations.push({ rule: "integer", given: fc.constantFrom<unknown>(...samples.types.bigint.broken) });
  return violations;
}

function ofArray(shape: ShapeOf<"array">, form: Form): RuleViolation[] {
  const { minItems, maxItems, uniqueItems } = shape;
  const violations: RuleViolation[] = [];
  const add = (
    rule: RuleName,
    changed: Partial<ShapeOf<"array">>,
    change = (items: unknown[]): unknown[] => items,
  ): void => {
    const { isItem: _, ...loose } = { ...without(shape, rule), ...changed };
    try {
      const items = arbitrary(loose, { form }) as fc.Arbitrary<unknown[]>;
      violations.push(breaking(shape, rule, form, items.map(change)));
    } catch (error) {
      // The item type does not have enough values for such a list.
      if (!(error instanceof NoValueError)) throw error;
    }
  };
  if (minItems !== undefined && minItems > 0) add("minItems", { maxItems: minItems - 1 });
  if (maxItems !== undefined && maxItems < LONGEST / 10)
    add("maxItems", { minItems: maxItems + 1, maxItems: maxItems + 1 });
  if (uniqueItems === true) {
    const least = Math.max(2, minItems ?? 0);
    if ((maxItems ?? Infinity) >= 2) {
      add("uniqueItems", { minItems: least }, (items) => items.with(1, items[0]));
    }
  }
  return violations;
}

function ofTuple(shape: ShapeOf<"tuple">, form: Form): RuleViolation[] {
  const { elements } = shape;
  const least = elements.filter((element) => element.optional !== true && element.rest !== true).length;
  const open = elements.some((element) => element.rest === true);
  const whole = arbitrary(shape, { form }) as fc.Arbitrary<unknown[]>;
  const wrong: fc.Arbitrary<unknown>[] = [];
  if (least > 0) wrong.push(whole.map((items) => items.slice(0, least - 1)));
  if (!open)
    wrong.push(
      whole.map((items) =>
        items.concat(Array.from({ length: elements.length + 1 - items.length }, () => items[0] ?? "more")),
      ),
    );
  return wrong.length === 0 ? [] : [{ rule: "length", given: fc.oneof(...wrong) }];
}
