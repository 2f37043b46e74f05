// Not from `../codec/date.ts`: the bundle of the package would get a file of its own for the functions.
import { isCalendarDate, isDateTime } from "@kit/core/codec";

/** Type of a column that sorts a list, as PostgreSQL names it. */
export type KeyType =
  | "bigint"
  | "citext"
  | "date"
  | "double precision"
  | "integer"
  | "numeric"
  | "text"
  | "timestamp"
  | "timestamptz"
  | "uuid";

/** Properties of a type of columns. */
interface KeyRules {
  /** Returns the SQL expression of a column's value as text, without a loss of digits. */
  readonly text: (column: string) => string;
  /** Returns true if PostgreSQL can convert a text to the type. */
  readonly accepts: (text: string) => boolean;
}

const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

const castToText = (column: string): string => `${column}::text`;

/** Returns true if a text is an integer of the type from -2^(bits - 1) to 2^(bits - 1) - 1. */
function isInteger(text: string, bits: number): boolean {
  return /^(?:0|-?[1-9]\d{0,18})$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
}

/** Form of a time with microseconds, and the position of the time's last digit. */
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

function isTime(text: string): boolean {
  return MICROSECONDS.test(text) && isDateTime(`${text}Z`) && text.slice(17, 19) !== "60" && isYear(text);
}

/** Returns true for a year of our era: PostgreSQL has no year 0. */
function isYear(text: string): boolean {
  return !text.startsWith("0000");
}

/** Types of columns. The texts of times have all six digits that PostgreSQL stores. A `Date` would lose the last three. */
export const KEY_TYPES: Readonly<Record<KeyType, KeyRules>> = {
  bigint: { text: castToText, accepts: (text) => isInteger(text, 64) },
  citext: { text: castToText, accepts: isText },
  date: {
    text: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
    accepts: (text) => isCalendarDate(text) && isYear(text),
  },
  "double precision": {
    text: castToText,
    accepts: (text) => /^-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]\d{1,3})?$/.test(text) && isDouble(text),
  },
  integer: { text: castToText, accepts: (text) => isInteger(text, 32) },
  numeric: {
    text: castToText,
    accepts: (text) => /^-?(?:0|[1-9]\d{0,999})(?:\.\d{1,1000})?$/.test(text),
  },
  text: { text: castToText, accepts: isText },
  timestamp: { text: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`, accepts: isTime },
  timestamptz: {
    text: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    accepts: (text) => text.endsWith("Z") && isTime(text.slice(0, -1)),
  },
  uuid: {
    text: castToText,
    accepts: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  },
};

/** Returns true for a number that a column can contain: no infinity, and no text that would be rounded to 0. */
function isDouble(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || /^-?0$/.test(text));
}
