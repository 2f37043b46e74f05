// Generates invalid and unusual values that no program may fail for. The kind of each value is used in
// reports.

import type { Random } from "../../differential/support/random.ts";

/** Kind of an invalid or unusual value. */
export type Kind =
  | "key"
  | "number beyond its column"
  | "number beyond all"
  | "number that is none"
  | "date"
  | "text that no database keeps"
  | "text"
  | "long text"
  | "other type"
  | "query";

/** Garbage for a path or a query. All values are strings there. */
export interface Text {
  readonly kind: Kind;
  /** Garbage that is already percent-encoded. */
  readonly text: string;
}

/** Garbage for a body, as JSON. */
export interface Literal {
  readonly kind: Kind;
  readonly json: string;
}

const KEYS = [
  "abc",
  "0",
  "00000000-0000-0000-0000-00000000000g",
  "00000000-0000-4000-8000-000000000000",
  "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  "00000000000040008000000000000000",
  "{00000000-0000-4000-8000-000000000000}",
  "urn:uuid:00000000-0000-4000-8000-000000000000",
  " 00000000-0000-4000-8000-000000000000",
  "0000-0000-0000",
  "' OR 1=1 --",
  "null",
  "undefined",
  "__proto__",
  "..;",
];

const BEYOND_COLUMN = [
  "2147483647",
  "2147483648",
  "-2147483648",
  "-2147483649",
  "4294967296",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "18446744073709551616",
  "1000000000000000000000",
];

const BEYOND_ALL = ["1e400", "-1e400", "1.7976931348623159e308", "1e308", "-1e308", "5e-324", "1e-400"];

const NUMBERS = ["1.5", "-0", "-0.0", "0.1", "-1", "0", "1e3", "1E2", "1.0", "00", "0.30000000000000004"];

const NO_NUMBERS = [
  "NaN",
  "Infinity",
  "-Infinity",
  "0x10",
  "1_000",
  "+1",
  "１２",
  "1,5",
  " 1",
  "1n",
  ".5",
  "5.",
];

const DATES = [
  "+275760-09-13T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "275761-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "0000-01-01T00:00:00+23:59",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59-23:59",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2016-12-31T23:59:60Z",
  "2026-01-01",
  "infinity",
  "now",
  "1969-12-31T23:59:59.999999999Z",
];

/** Strings that PostgreSQL cannot store, written as in JSON. */
const UNSTORABLE = ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00", "\\ude00\\ud83d", "a\\udfff"];

const TEXTS = [
  "",
  " ",
  "\u{10ffff}",
  "\ufeff",
  "\u202e",
  "é",
  "e\u0301",
  "\u007f",
  "\u0001",
  "%s%n",
  "$1",
  "\\",
  '"',
  "💥",
];

const OTHER_TYPES = [
  "null",
  "true",
  "false",
  "[]",
  "{}",
  "[null]",
  '{"a":1}',
  '""',
  "0",
  '"0"',
  '"null"',
  '{"__proto__":1}',
];

function made(kind: Kind, plain: string): Text {
  return { kind, text: encodeURIComponent(plain) };
}

function quoted(kind: Kind, plain: string): Literal {
  return { kind, json: JSON.stringify(plain) };
}

/** Returns random garbage for a path or a query. */
export function text(random: Random): Text {
  return random.weighed<() => Text>(
    [6, () => made("key", random.pick(KEYS))],
    [5, () => made("number beyond its column", random.pick(BEYOND_COLUMN))],
    [2, () => made("number beyond all", random.pick(BEYOND_ALL))],
    [3, () => made("number that is none", random.pick([...NUMBERS, ...NO_NUMBERS]))],
    [3, () => made("date", random.pick(DATES))],
    [
      2,
      () => ({
        kind: "text that no database keeps",
        text: random.pick(["%00", "a%00b", "%ED%A0%80", "%C0%80", "%FF", "%"]),
      }),
    ],
    [2, () => made("text", random.pick(TEXTS.filter((one) => one !== "")))],
    [1, () => made("long text", random.pick(["a", "9", "é", "-"]).repeat(random.pick([31, 256, 3000])))],
  )();
}

/** Returns garbage that replaces a value in a body. Most often it has the type of the value. */
export function literal(random: Random, value: unknown): Literal {
  const number = (): Literal =>
    random.weighed<() => Literal>(
      [4, () => ({ kind: "number beyond its column", json: random.pick(BEYOND_COLUMN) })],
      [2, () => ({ kind: "number beyond all", json: random.pick(BEYOND_ALL) })],
      [2, () => ({ kind: "number that is none", json: random.pick(NUMBERS.filter((one) => one !== "00")) })],
    )();
  const ofTexts = (): Literal =>
    random.weighed<() => Literal>(
      [4, () => quoted("key", random.pick(KEYS))],
      [4, () => quoted("number beyond its column", random.pick(BEYOND_COLUMN))],
      [1, () => quoted("number that is none", random.pick(NO_NUMBERS))],
      [3, () => quoted("date", random.pick(DATES))],
      [3, () => ({ kind: "text that no database keeps", json: `"${random.pick(UNSTORABLE)}"` })],
      [3, () => quoted("text", random.pick(TEXTS))],
      [1, () => quoted("long text", random.pick(["a", "9", "é"]).repeat(random.pick([31, 256, 20_000])))],
    )();
  if (random.chance(0.15)) return { kind: "other type", json: random.pick(OTHER_TYPES) };
  if (typeof value === "number") return number();
  if (typeof value === "string") return ofTexts();
  return random.chance(0.5) ? number() : ofTexts();
}

/** Returns a query whose keys and syntax no contract has. */
export function query(random: Random, keys: readonly string[]): string {
  const key = random.pick([...keys, "page", "pageSize", "sort", "order", "id", "a"]);
  const { text: value } = text(random);
  return random.pick([
    `${key}=${value}`,
    `${key}[]=${value}`,
    `${key}[gt]=${value}`,
    `${key}[a][b][c]=${value}`,
    `${key}=${value}&${key}=${value}`,
    `${key}`,
    `=${value}`,
    `${key}=${`${value},`.repeat(20)}`,
    `${key}${"[x]".repeat(200)}=1`,
  ]);
}
