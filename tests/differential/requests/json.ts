import type { Random } from "../support/random.ts";

/** Numbers in forms that no serializer writes. Some are unusual notations, others are invalid JSON. */
const NUMBERS = [
  "-0",
  "0",
  "1.0",
  "1e0",
  "10e-1",
  "1E+2",
  "0.1e1",
  "-0.0",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  "0.1000000000000000055511151231257827",
  "5e-324",
  "1.7976931348623159e308",
  "01",
  "-01",
  ".5",
  "1.",
  "+1",
  "0x10",
  "1e",
  "1e+",
  "-",
  "--1",
  "NaN",
  "Infinity",
  "1_000",
  "1n",
  "00",
];

/** Words, characters and parts of strings that are inserted at random positions. */
const PIECES = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  " ",
  "\n",
  "\t",
  "\r\n",
  "\u0000",
  "\u0001",
  "\u001f",
  "\u007f",
  "\u0080",
  "\u00a0",
  "\u000b",
  "\u000c",
  "\u2028",
  "\ufeff",
  "null",
  "true",
  "false",
  "nul",
  "True",
  "undefined",
  "\\u0000",
  "\\ud800",
  "\\udc00",
  "\\ud83d\\ude00",
  "\\uD83D\\u0041",
  "\\ude00\\ud83d",
  "\\x41",
  "\\u12",
  "\\u00e9",
  "\\/",
  "\\b\\f",
  "\\0",
  "é",
  "😀",
  "e\u0301",
  "//",
  "/**/",
  "'",
  "`",
  "__proto__",
  '"__proto__":{"a":1},',
  '"constructor":1,',
  '"length":1,',
  '"0":1,',
  '"title":"again",',
  '"archived":null,',
  "\u{10ffff}",
  "\ufffe",
];

/**
 * Bytes that are not valid UTF-8: invalid bytes, overlong encodings, surrogates, code points above the last one, and truncated characters.
 */
const BYTES = [
  "ff",
  "80",
  "c080",
  "c0af",
  "e08080",
  "eda080",
  "edb080",
  "f4908080",
  "f8888080",
  "c3",
  "e282",
  "f09f98",
];

/**
 * Returns a value as JSON that is written in an unusual way: with escapes, another notation of numbers, blanks, another order of keys, or
 * repeated keys.
 */
export function written(value: unknown, random: Random): string {
  const writer = new Writer(random);
  return writer.spaced(writer.value(value));
}

class Writer {
  readonly #random: Random;
  readonly #escapes: number;
  readonly #spaces: number;
  readonly #disorder: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#escapes = random.weighed([3, 0], [1, 0.1], [1, 1]);
    this.#spaces = random.weighed([3, 0], [1, 0.3]);
    this.#disorder = random.chance(0.3);
  }

  value(value: unknown): string {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return this.#number(value);
    if (Array.isArray(value)) {
      return `[${value.map((item: unknown) => this.spaced(this.value(item))).join(",")}]`;
    }
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
    const members = Object.entries(value).map(
      ([key, item]) => `${this.spaced(this.#text(key))}:${this.spaced(this.value(item))}`,
    );
    if (this.#disorder && members.length > 0) this.#disturb(members);
    return `{${members.join(",")}}`;
  }

  spaced(text: string): string {
    if (!this.#random.chance(this.#spaces)) return text;
    const space = (): string => this.#random.pick([" ", "\n", "\t", "\r", "  \n", ""]);
    return space() + text + space();
  }

  #disturb(members: string[]): void {
    const random = this.#random;
    const [from, to] = [random.int(0, members.length - 1), random.int(0, members.length - 1)];
    const [one, other] = [members[from] as string, members[to] as string];
    members[from] = other;
    members[to] = one;
    const key = one.slice(0, one.indexOf(":"));
    const more = random.pick([
      other,
      `${key}:null`,
      `${key}:"twice"`,
      '"__proto__":{"title":"x"}',
      '"undeclared":[{"a":{}}]',
      '"7":7',
      '"10":10,"9":9',
      '"":""',
    ]);
    members.splice(random.int(0, members.length), 0, more);
  }

  #number(value: number): string {
    const random = this.#random;
    const text = JSON.stringify(value);
    if (!random.chance(0.2)) return text;
    if (Number.isSafeInteger(value)) {
      return random.pick([
        `${text}.0`,
        `${text}e0`,
        `${text}.000E-0`,
        `${text}0e-1`,
        `${value}.00000000000000000000`,
      ]);
    }
    return random.pick([text, value.toExponential(), value.toExponential().replace("e", "E")]);
  }

  #text(value: string): string {
    if (this.#escapes === 0) return JSON.stringify(value);
    const characters = value.split("").map((unit) => {
      if (!this.#random.chance(this.#escapes)) return undefined;
      const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${this.#random.chance(0.5) ? digits : digits.toUpperCase()}`;
    });
    // If one half of a surrogate pair is escaped, the other half must be escaped too.
    return `"${value
      .split("")
      .map(
        (unit, at) =>
          characters[at] ?? (isSurrogate(unit) ? escaped(unit) : JSON.stringify(unit).slice(1, -1)),
      )
      .join("")}"`;
  }
}

function isSurrogate(unit: string): boolean {
  return unit >= "\ud800" && unit <= "\udfff";
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}

/** Returns a random JSON value. Some of its keys are names in the contracts. */
export function anything(random: Random, keys: readonly string[], levels = 3): unknown {
  const scalar = (): unknown =>
    random.pick<() => unknown>([
      () => null,
      () => random.chance(0.5),
      () => random.pick([0, -0, 1, -1, 0.5, 1e21, 1e-7, 2 ** 53, -(2 ** 31), 1.5e300]),
      () => random.int(-1000, 1000),
      () =>
        random.pick([
          "",
          "a",
          "true",
          "1",
          "null",
          "é",
          "😀",
          "\u0000",
          "\ud800",
          "2026-01-01T00:00:00Z",
          "x".repeat(201),
          "😀".repeat(120),
        ]),
    ])();
  if (levels === 0) return scalar();
  const size = random.int(0, 4);
  return random.weighed<() => unknown>(
    [3, scalar],
    [
      1,
      () => Array.from({ length: random.chance(0.1) ? 13 : size }, () => anything(random, keys, levels - 1)),
    ],
    [
      3,
      () =>
        Object.fromEntries(
          Array.from({ length: random.chance(0.1) ? 13 : size }, () => [
            random.pick([...keys, ...keys, "a", "b", "1", "0", "é", "odd key", "constructor", "toString"]),
            anything(random, keys, levels - 1),
          ]),
        ),
    ],
  )();
}

/** Returns a text with random changes. Most often it is no longer valid. */
export function mutated(text: string, random: Random): Buffer {
  let changed = text;
  for (let count = random.weighed([6, 1], [2, 2], [1, 5]); count > 0; count -= 1)
    changed = once(changed, random);
  const bytes = Buffer.from(changed);
  if (!random.chance(0.08)) return bytes;
  const at = random.int(0, bytes.length);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(BYTES), "hex"), bytes.subarray(at)]);
}

function once(text: string, random: Random): string {
  const at = random.int(0, text.length);
  const end = Math.min(text.length, at + random.int(1, 4));
  return random.weighed<() => string>(
    [4, () => text.slice(0, at)],
    [2, () => text.slice(0, at) + text.slice(at + 1)],
    [1, () => text.slice(0, at) + text.slice(end)],
    [5, () => text.slice(0, at) + random.pick(PIECES) + text.slice(at)],
    [2, () => text.slice(0, at) + random.pick(PIECES) + text.slice(end)],
    [1, () => text.slice(0, end) + text.slice(at)],
    [2, () => text.replace(/-?\d+(?:\.\d+)?|true|false|null/, random.pick(NUMBERS))],
    [2, () => text.replace(/"[^"\\]*"(?!\s*:)/, random.pick(NUMBERS))],
    [
      1,
      () =>
        random.pick([
          "",
          " ",
          "\n",
          "null",
          "[]",
          "{}",
          '""',
          "1",
          "true",
          "[{}]",
          "\ufeff{}",
          "\ufeff",
          "{} {}",
          '"\ud800"',
          "undefined",
        ]),
    ],
  )();
}

/** Returns nested arrays or objects. They may be deeper than one of the servers permits. */
export function nestedDeeply(random: Random, keys: readonly string[]): string {
  const levels = random.pick([3, 4, 100, 255, 256, 257, 1022, 1023, 1024, 1025, 1026, 5000, 60_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ['{"a":[', "]}"],
    ['{"name":"a","children":[', "]}"],
    ['{"kind":"group","parts":[', "]}"],
  ] as const);
  const closing = random.chance(0.8) ? levels : random.int(0, levels);
  const value = open.repeat(levels) + random.pick(["1", "", "null", "[]", "{}"]) + close.repeat(closing);
  return random.chance(0.5) ? value : `{"${random.pick([...keys, "undeclared"])}":${value}}`;
}
