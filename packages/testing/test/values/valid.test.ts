import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { explain, template, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import { arbitrary, NoValueError, toWire, type ValueOptions } from "../../src/values/index.ts";

const OPTIONS: readonly ValueOptions[] = [
  { style: "wide", form: "wire" },
  { style: "wide", form: "value" },
  { style: "readable", form: "wire" },
  { style: "readable", form: "value" },
];

function drawn(shape: Shape, options: ValueOptions, count: number, seed = 7): unknown[] {
  return fc.sample(arbitrary(shape, options), { seed, numRuns: count });
}

/** Generates values of each style and form, and checks that all of them are valid. */
function valid(shape: Shape, count = 300): unknown[] {
  const all: unknown[] = [];
  for (const options of OPTIONS) {
    const values = drawn(shape, options, count);
    all.push(...values);
    for (const value of values) assert.deepEqual(explain(shape, value, options.form ?? "wire"), []);
    if (options.form === "value") {
      for (const value of values) assert.deepEqual(explain(shape, toWire(value), "wire"), []);
    }
  }
  return all;
}

const PATTERNS: readonly (readonly [pattern: string, minLength?: number | undefined, maxLength?: number])[] =
  [
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$"],
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$", 30, 31],
    ["^\\p{Lu}\\p{Ll}+$"],
    ["^\\p{Script=Thai}{2}$"],
    ["^(?=.*[A-Z])(?=.*\\d).{8,}$"],
    ["^(?!admin)[a-z]{5}$"],
    ["\\bcat\\b"],
    ["b", 4, 5],
    ["^(?:red|green|#[0-9a-fA-F]{6})$"],
    ["^[^\\s@]+@[^\\s@]+$", undefined, 6],
    ["^[\\u{1F600}-\\u{1F64F}]{1,3}$"],
    ["^$"],
    ["^.{500,510}$"],
    ["^[A-Z]{2}\\d{2}(?: ?[0-9A-Z]{4}){3,7}$"],
  ];

describe("arbitrary", () => {
  for (const [pattern, minLength, maxLength] of PATTERNS) {
    test(`generates valid strings for the pattern /${pattern}/ with ${minLength ?? 0} to ${maxLength ?? "any number of"} characters`, () => {
      valid({
        kind: "string",
        pattern: new RegExp(pattern, "u"),
        ...(minLength === undefined ? {} : { minLength }),
        ...(maxLength === undefined ? {} : { maxLength }),
      });
    });
  }

  test("generates valid strings for each linear pattern that the compiler accepts", async () => {
    const path = new URL("../../../../conformance/patterns.json", import.meta.url);
    const { patterns } = JSON.parse(await readFile(path, "utf8")) as {
      patterns: { pattern: string; verdict: string }[];
    };
    const linear = patterns.filter(({ verdict }) => verdict === "linear");
    assert.ok(linear.length > 60, String(linear.length));
    for (const { pattern } of linear) {
      const shape: Shape = { kind: "string", pattern: new RegExp(pattern, "u") };
      // The strings that match this pattern have a million characters.
      if (pattern === "^(?:a{1000}b{1000}){500}$") {
        assert.throws(() => drawn(shape, {}, 1), /are too long to generate/);
      } else valid(shape, 5);
    }
  });

  const formats = ["email", "uri", "uuid", "date", "date-time", "ipv4", "ipv6"] as const;
  for (const format of formats) {
    test(`generates valid strings for the format ${format}`, () => {
      valid({ kind: "string", format });
    });
  }
  test("generates valid strings for the formats email and uri with unusual minimum and maximum lengths", () => {
    valid({ kind: "string", format: "email", maxLength: 5 });
    valid({ kind: "string", format: "email", minLength: 200, maxLength: 254 }, 50);
    valid({ kind: "string", format: "email", minLength: 256, maxLength: 300 }, 50);
    valid({ kind: "string", format: "uri", maxLength: 4 });
    valid({ kind: "string", format: "uri", minLength: 100 });
    valid({ kind: "string", format: "email", pattern: /@example\.com$/u });
  });

  test("generates valid numbers at and between bounds, even if few numbers are within the bounds", () => {
    const cents = valid({ kind: "number", multipleOf: 0.01, minimum: 0.05, exclusiveMaximum: 0.08 });
    assert.deepEqual(new Set(cents), new Set([0.05, 0.06, 0.07]));
    const halves = valid({ kind: "number", integer: true, multipleOf: 1.5, minimum: -4, maximum: 4 });
    assert.deepEqual(new Set(halves), new Set([-3, 0, 3]));
    valid({ kind: "number", exclusiveMinimum: 1, exclusiveMaximum: 1.000_000_000_000_001 });
    valid({ kind: "number", minimum: 1e300 });
    valid({ kind: "number", multipleOf: 1e-7 });
    valid({ kind: "bigint", multipleOf: 5, exclusiveMinimum: -6, maximum: 5 });
    valid({ kind: "bigint", minimum: -(2 ** 63), exclusiveMaximum: 2 ** 63 });
    valid({ kind: "bigint", minimum: 2 ** 63 - 2048, exclusiveMaximum: 2 ** 63 });
    valid({ kind: "bigint", minimum: 2 ** 80 });
    valid({ kind: "number" });
    valid({ kind: "number", integer: true });
  });

  test("generates valid arrays, tuples, and objects with index signatures", () => {
    const flags: Shape = { kind: "array", element: { kind: "boolean" }, uniqueItems: true, minItems: 2 };
    assert.ok(valid(flags).every((items) => (items as unknown[]).length === 2));
    valid({ kind: "array", element: { kind: "date" }, minItems: 3, maxItems: 3 });
    valid({
      kind: "tuple",
      elements: [
        { shape: { kind: "string" } },
        { shape: { kind: "date" }, rest: true },
        { shape: { kind: "boolean" } },
      ],
    });
    valid({
      kind: "tuple",
      elements: [{ shape: { kind: "bytes" } }, { shape: { kind: "bigint" }, optional: true }],
    });
    const texts = template(["x-", { hole: "string" }]);
    valid({
      kind: "object",
      properties: [
        { key: "x-known", shape: { kind: "number" } },
        { key: "__proto__", shape: { kind: "boolean" } },
      ],
      index: [
        { keys: texts, shape: { kind: "union", members: [{ kind: "number" }, { kind: "null" }] } },
        { keys: "number", shape: { kind: "date" } },
      ],
    });
  });

  test("generates valid strings for template literal types with rules", () => {
    const parts = [
      { hole: "string" },
      "@",
      { either: [["a", { hole: "number" }], [{ hole: "bigint" }]] },
    ] as const;
    const source = "${string}@${`a${number}` | bigint}";
    valid({ kind: "template", texts: template(parts), source });
    valid({ kind: "template", texts: template(parts), source, minLength: 20, maxLength: 24 });
  });

  test("generates valid values for types that contain themselves", () => {
    const tree: Shape = {
      kind: "object",
      properties: [
        { key: "name", shape: { kind: "string" } },
        {
          key: "children",
          shape: { kind: "array", element: { kind: "reference", to: () => tree, recursive: true } },
        },
      ],
    };
    valid({ kind: "reference", to: () => tree, recursive: true });
    // The only value of this type needs five levels, more than the option `depth` allows.
    let list: Shape = { kind: "null" };
    for (let level = 0; level < 5; level += 1) {
      const next: Shape = list;
      list = {
        kind: "object",
        properties: [{ key: "next", shape: { kind: "reference", to: () => next, recursive: true } }],
      };
    }
    valid(list);
  });
});

describe("arbitrary of fast-check", () => {
  const person: Shape = {
    kind: "object",
    properties: [
      { key: "displayName", shape: { kind: "string", minLength: 2, maxLength: 100 } },
      { key: "email", shape: { kind: "string", format: "email" } },
      { key: "bornAt", shape: { kind: "date" } },
    ],
  };

  test("generates the same values for the same seed on each machine", () => {
    const [first, again] = [1, 2].map(() => drawn(person, { style: "readable" }, 3, 42));
    assert.deepEqual(first, again);
    assert.notDeepEqual(drawn(person, { style: "readable" }, 3, 43), first);
    assert.deepEqual(first?.[0], {
      displayName: "Alan Keller",
      email: "tim.diaz2599@example.com",
      bornAt: "2026-12-30T23:59:58.000Z",
    });
  });

  test("throws an error for a type without values", () => {
    const endless: Shape = {
      kind: "object",
      properties: [{ key: "next", shape: { kind: "reference", to: () => endless, recursive: true } }],
    };
    assert.throws(() => arbitrary(endless), NoValueError);
    const none: Shape = { kind: "string", pattern: /^[a-z]{3}$/u, minLength: 4 };
    assert.throws(
      () => drawn(none, {}, 1),
      /found no string of 4 or more characters that matches \/\^\[a-z\]\{3\}\$\//,
    );
  });

  test("shrinks a failing value to the smallest value that fails", () => {
    const slugs = arbitrary({ kind: "array", element: { kind: "string", pattern: /^[a-z]+-?[a-z]+$/u } });
    const result = fc.check(
      fc.property(slugs, (items) => !(items as string[]).some((item) => item.includes("-"))),
      { seed: 5 },
    );
    assert.equal(result.failed, true);
    const [[slug]] = result.counterexample as [[string]];
    assert.match(slug, /^[a-z]-[a-z]$/);
  });
});
