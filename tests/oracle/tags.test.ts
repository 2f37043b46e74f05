// Compares the validators of kit with typia's meaning of its tags, and with the bounds of bigints. TypeScript does not know these rules.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { Fixtures } from "./support/project.ts";

/** Declarations with the structure of typia's tags. */
const TAGS = `
type TagBase<Props> = { "typia.tag"?: Props };
export namespace tags {
  type MinLength<V extends number> = TagBase<{ target: "string"; kind: "minLength"; value: V }>;
  type MaxLength<V extends number> = TagBase<{ target: "string"; kind: "maxLength"; value: V }>;
  type Pattern<V extends string> = TagBase<{ target: "string"; kind: "pattern"; value: V }>;
  type Format<V extends string> = TagBase<{ target: "string"; kind: "format"; value: V }>;
  type Type<V extends string> = TagBase<{ target: "number" | "bigint"; kind: "type"; value: V }>;
  type Minimum<V extends number | bigint> = TagBase<{ target: "number" | "bigint"; kind: "minimum"; value: V }>;
  type ExclusiveMaximum<V extends number | bigint> = TagBase<{ target: "number" | "bigint"; kind: "exclusiveMaximum"; value: V }>;
  type MultipleOf<V extends number | bigint> = TagBase<{ target: "number" | "bigint"; kind: "multipleOf"; value: V }>;
  type MinItems<V extends number> = TagBase<{ target: "array"; kind: "minItems"; value: V }>;
  type UniqueItems<V extends boolean = true> = TagBase<{ target: "array"; kind: "uniqueItems"; value: V }>;
  type Default<V> = TagBase<{ target: "string"; kind: "default"; value: V }>;
}
`;

/** Type with values that it accepts and values that it refuses, all in their form on the wire. */
interface Row {
  type: string;
  fits: readonly unknown[];
  breaks: readonly unknown[];
}

const ROWS: readonly Row[] = [
  {
    type: "string & tags.MinLength<2> & tags.MaxLength<4>",
    fits: ["ab", "abcd", "😀😀"],
    breaks: ["a", "abcde", 3, null],
  },
  { type: 'string & tags.Pattern<"^[a-z]+$">', fits: ["abc"], breaks: ["", "a1"] },
  {
    type: 'string & tags.Format<"uuid">',
    fits: ["123e4567-e89b-42d3-a456-426614174000"],
    breaks: ["123", ""],
  },
  { type: 'string & tags.Format<"url">', fits: ["https://example.com/a"], breaks: ["example"] },
  { type: 'string & tags.Format<"password">', fits: ["", "x"], breaks: [1] },
  {
    type: 'string & (tags.Format<"ipv4"> | tags.Format<"ipv6">)',
    fits: ["127.0.0.1", "::1"],
    breaks: ["localhost", "300.0.0.1"],
  },
  { type: 'string & tags.Default<"new">', fits: ["", "old"], breaks: [1] },
  {
    type: 'number & tags.Type<"int32">',
    fits: [0, -2147483648, 2147483647],
    breaks: [0.5, 2147483648, -2147483649],
  },
  { type: 'number & tags.Type<"uint32">', fits: [0, 4294967295], breaks: [-1, 4294967296, 0.5] },
  { type: 'number & tags.Type<"uint64">', fits: [0, 9007199254740991], breaks: [-1, 0.5] },
  { type: 'number & tags.Type<"float">', fits: [0.5, -3e38, 3e38], breaks: [1e39, -1e39] },
  { type: 'number & tags.Type<"double">', fits: [0.5, 1e300], breaks: ["1"] },
  {
    type: "number & tags.Minimum<1> & tags.ExclusiveMaximum<9> & tags.MultipleOf<2>",
    fits: [2, 8],
    breaks: [0, 3, 9, 10],
  },
  {
    type: "bigint & tags.Minimum<0n> & tags.ExclusiveMaximum<10n>",
    fits: ["0", "9", 5],
    breaks: ["-1", "10", "1.5", 11],
  },
  { type: "bigint & tags.MultipleOf<3n>", fits: ["0", "9", "-3"], breaks: ["1", "10"] },
  {
    type: 'bigint & tags.Type<"int64">',
    fits: ["9223372036854775807", "-9223372036854775808"],
    breaks: ["9223372036854775808", "-9223372036854775809"],
  },
  {
    type: 'bigint & tags.Type<"uint64">',
    fits: ["0", "18446744073709551615"],
    breaks: ["-1", "18446744073709551616"],
  },
  {
    type: "Array<string & tags.MinLength<1>> & tags.MinItems<1> & tags.UniqueItems",
    fits: [["a"], ["a", "b"]],
    breaks: [[], [""], ["a", "a"]],
  },
  {
    type: "(string & tags.MinLength<3>) | (number & tags.Minimum<3>)",
    fits: ["abc", 3],
    breaks: ["ab", 2, true],
  },
  { type: "(string & tags.MinLength<3>) | null", fits: ["abc", null], breaks: ["ab", 1] },
  {
    type: "Record<string & tags.MinLength<2>, number & tags.Minimum<0>>",
    fits: [{}, { ab: 1 }],
    breaks: [{ a: 1 }, { ab: -1 }],
  },
  {
    type: "[string & tags.MinLength<2>, ...(number & tags.Minimum<0>)[]]",
    fits: [["ab"], ["ab", 0]],
    breaks: [["a"], ["ab", -1]],
  },
];

/** Properties with doc tags, with values as in {@link ROWS}. */
const PROPERTIES: readonly Row[] = [
  { type: "/** @type int */ value: number", fits: [1], breaks: [1.5, 2147483648] },
  { type: "/** @type {uint} */ value: number", fits: [0], breaks: [-1] },
  { type: "/** @type {Note} */ value: number", fits: [1.5], breaks: ["1"] },
  {
    type: "/** @minimum -5 @exclusiveMaximum 9223372036854775808 */ value: bigint",
    fits: ["-5", "9223372036854775807"],
    breaks: ["-6", "9223372036854775808"],
  },
  {
    type: "/** @maximum 10 @multipleOf 5 */ value: bigint | string[]",
    fits: ["10", ["a"]],
    breaks: ["7", "15"],
  },
];

interface Validator {
  is: (value: unknown) => boolean;
  failures: (value: unknown) => readonly unknown[];
}

const types = ROWS.map(({ type }, index) => `export interface T${index} { value: ${type} }\n`);
const properties = PROPERTIES.map(({ type }, index) => `export interface P${index} { ${type} }\n`);
const fixtures = await Fixtures.of(
  new Map([
    ["tags.d.ts", TAGS],
    ["all.types.ts", `import type { tags } from "./tags.d.ts";\n${[...types, ...properties].join("")}`],
  ]),
);
after(() => fixtures.remove());
const answer = await fixtures.build([]);
assert.deepEqual(
  answer.diagnostics.filter(({ code }) => code !== "KIT1002"),
  [],
);
const codecs = (await import(pathToFileURL(join(fixtures.root, ".kit/codecs.js")).href)) as Record<
  string,
  Validator
>;

for (const [prefix, rows] of [
  ["T", ROWS],
  ["P", PROPERTIES],
] as const)
  for (const [index, { type, fits, breaks }] of rows.entries())
    test(`${type} accepts the values that fit, and refuses the others`, () => {
      const validator = codecs[`${prefix}${index}Validator`];
      assert.ok(validator);
      for (const value of fits) {
        assert.equal(validator.is({ value }), true, `it refuses ${JSON.stringify(value)}`);
        assert.deepEqual(validator.failures({ value }), []);
      }
      for (const value of breaks) {
        assert.equal(validator.is({ value }), false, `it accepts ${JSON.stringify(value)}`);
        assert.notEqual(validator.failures({ value }).length, 0);
      }
    });
