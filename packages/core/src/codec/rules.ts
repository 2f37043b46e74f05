import { isBigIntText, toBigInt } from "./bigint.ts";
import { isBase64 } from "./bytes.ts";
import { isUnknown } from "./depth.ts";
import { FIRST_TIME, isTimestamp, LAST_TIME } from "./date.ts";
import { hasFormat } from "./formats.ts";
import { isMultipleOf } from "./number.ts";
import type {
  Form,
  LiteralShape,
  NumberShape,
  SimpleShape,
  StringShape,
  TemplateShape,
  TextRules,
} from "./shape.ts";
import { codePointsWithin } from "./text.ts";

/** Shape whose values have no nested values, such as a string. */
export type ScalarShape = SimpleShape | StringShape | NumberShape | LiteralShape | TemplateShape;

/** Returns true if a value has the right type. Ignores the rules. A serializer needs only this check. */
export function hasType(shape: ScalarShape, value: unknown, form: Form): boolean {
  switch (shape.kind) {
    case "unknown":
      return form === "wire" ? isUnknown(value) : value !== undefined;
    case "never":
      return false;
    case "null":
      return value === null;
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "bigint":
      return form === "wire" ? isBigIntText(value) : typeof value === "bigint";
    case "string":
      return typeof value === "string";
    case "template":
      return typeof value === "string" && shape.texts.test(value);
    case "date":
      return form === "wire" ? typeof value === "string" && isTimestamp(value) : isWritableDate(value);
    case "bytes":
      return form === "wire" ? isBase64(value) : value instanceof Uint8Array;
    case "literal":
      return typeof shape.value === "bigint" && form === "wire"
        ? isBigIntText(value) && toBigInt(value) === shape.value
        : value === shape.value;
  }
}

/** Returns true if a value of the right type satisfies the rules. */
export function satisfiesRules(shape: ScalarShape, value: unknown): boolean {
  switch (shape.kind) {
    case "string":
    case "template":
      return satisfiesTextRules(shape, value as string);
    case "number":
      return satisfiesNumberRules(shape, value as number);
    case "bigint":
      return satisfiesNumberRules(shape, toBigInt(value));
    default:
      return true;
  }
}

/** Returns true if a value is a `Date` that RFC 3339 can express: valid, and with a year of four digits. */
export function isWritableDate(value: unknown): value is Date {
  if (!(value instanceof Date)) return false;
  const time = value.getTime();
  return time >= FIRST_TIME && time <= LAST_TIME;
}

function satisfiesTextRules(shape: TextRules, text: string): boolean {
  return (
    codePointsWithin(text, shape.minLength ?? 0, shape.maxLength ?? Number.POSITIVE_INFINITY) &&
    (shape.format === undefined || hasFormat(shape.format, text)) &&
    (shape.pattern === undefined || shape.pattern.test(text))
  );
}

function satisfiesNumberRules(shape: NumberShape, number: number | bigint): boolean {
  return (
    (shape.integer === undefined || typeof number === "bigint" || Number.isSafeInteger(number)) &&
    (shape.minimum === undefined || number >= shape.minimum) &&
    (shape.maximum === undefined || number <= shape.maximum) &&
    (shape.exclusiveMinimum === undefined || number > shape.exclusiveMinimum) &&
    (shape.exclusiveMaximum === undefined || number < shape.exclusiveMaximum) &&
    (shape.multipleOf === undefined || isMultipleOf(number, shape.multipleOf))
  );
}
