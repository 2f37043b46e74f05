import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import { explain, type Shape, template } from "@kit/core/codec";
import type { ValidationRule } from "@kit/types";

/** Every rule. The type makes the compiler report a rule that is missing here. */
const names: Readonly<Record<ValidationRule, true>> = {
  required: true,
  type: true,
  enum: true,
  const: true,
  minLength: true,
  maxLength: true,
  pattern: true,
  format: true,
  template: true,
  contentEncoding: true,
  minimum: true,
  maximum: true,
  exclusiveMinimum: true,
  exclusiveMaximum: true,
  multipleOf: true,
  minItems: true,
  maxItems: true,
  uniqueItems: true,
  anyOf: true,
  unknown: true,
  maxDepth: true,
  maxFailures: true,
  characters: true,
  maxBytes: true,
  mime: true,
  multipart: true,
  json: true,
  encoding: true,
};

const shared = JSON.parse(
  await readFile(new URL("../../../../conformance/rules.json", import.meta.url), "utf8"),
) as { readonly rules: Readonly<Record<string, { readonly limit: string | null }>> };

test("the validation rules equal the list that all runtimes share", () => {
  assert.deepEqual(Object.keys(names), Object.keys(shared.rules));
});

test("the guide has a row for each validation rule", async () => {
  const page = await readFile(new URL("../../../../docs/guide/errors.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Za-z]+)` \| ([^|]*) \|/gm)];
  const documented = rows.filter(([, rule]) => Object.hasOwn(shared.rules, rule!));
  assert.deepEqual(
    documented.map(([, rule, limit]) => [rule, limit!.trim()]),
    Object.entries(shared.rules).map(([rule, { limit }]) => [rule, limit ?? ""]),
  );
});

const text: Shape = { kind: "string" };
const literal = (value: string | number | bigint): Shape => ({ kind: "literal", value });
const union = (...members: Shape[]): Shape => ({ kind: "union", members });
const nothing: Shape = { kind: "null" };
const object: Shape = { kind: "object", name: "A", properties: [{ key: "a", shape: text }] };
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

/** Returns the shape of decimal numbers with bounds. No text is valid. */
const price = (bounds: Extract<Shape, { kind: "string" }>["bounds"] & {}): Shape => ({
  kind: "string",
  pattern: /^(?!)/,
  words: "with a price",
  bounds,
});

/** Test cases: a shape, a value, and the rule of the first failure with its limit. */
const cases: readonly (readonly [Shape, unknown, ValidationRule, unknown?])[] = [
  [object, {}, "required"],
  [object, [], "type", "object"],
  [text, undefined, "required"],
  [text, 5, "type", "string"],
  [{ kind: "string", minLength: 1 }, "", "minLength", 1],
  [{ kind: "string", maxLength: 2, format: "email" }, "abc", "maxLength", 2],
  [{ kind: "string", maxLength: 9, format: "email" }, "abc", "format", "email"],
  [{ kind: "string", pattern: /^a/ }, "b", "pattern", "^a"],
  [price({}), "1.005", "format", "decimal"],
  [price({ minimum: "0.50", maximum: "20" }), "0.4999", "minimum", "0.50"],
  [price({ minimum: "-1.5" }), "-2", "minimum", "-1.5"],
  [price({ maximum: "20" }), "20.01", "maximum", "20"],
  [price({ exclusiveMinimum: "0" }), "-0.0", "exclusiveMinimum", "0"],
  [
    price({ exclusiveMaximum: "9007199254740993" }),
    "9007199254740993",
    "exclusiveMaximum",
    "9007199254740993",
  ],
  [price({ exclusiveMaximum: "9007199254740993" }), "9007199254740992.5", "format", "decimal"],
  [price({ maximum: "20" }), "1e3", "format", "decimal"],
  [price({ maximum: "20" }), "1".repeat(41), "format", "decimal"],
  [
    { kind: "template", texts: template(["v", { hole: "number" }]), source: "v${number}" },
    "w1",
    "template",
    "v${number}",
  ],
  [{ kind: "date" }, "today", "format", "date-time"],
  [{ kind: "date" }, 5, "type", "string"],
  [{ kind: "bytes" }, "?", "contentEncoding", "base64"],
  [{ kind: "boolean" }, "true", "type", "boolean"],
  [{ kind: "number", minimum: 1 }, 0, "minimum", 1],
  [{ kind: "number", maximum: 1 }, 2, "maximum", 1],
  [{ kind: "number", exclusiveMinimum: 1 }, 1, "exclusiveMinimum", 1],
  [{ kind: "number", exclusiveMaximum: 1 }, 1, "exclusiveMaximum", 1],
  [{ kind: "number", multipleOf: 0.5 }, 0.7, "multipleOf", 0.5],
  [{ kind: "number" }, Infinity, "maximum", Number.MAX_VALUE],
  [{ kind: "number", integer: true }, 1.5, "type", "integer"],
  [{ kind: "number", integer: true }, -1e300, "minimum", -Number.MAX_SAFE_INTEGER],
  [{ kind: "number", integer: true, maximum: 5 }, Infinity, "maximum", 5],
  [{ kind: "bigint" }, "x", "pattern", "^-?[0-9]+$"],
  [{ kind: "bigint" }, "1".repeat(1001), "maxLength", 1000],
  [{ kind: "bigint" }, 1.5, "type", "string"],
  [{ kind: "bigint", minimum: 3 }, "2", "minimum", 3],
  [{ kind: "bigint", minimum: 3 }, 2, "minimum", 3],
  [literal("a"), "b", "const", "a"],
  [literal(5n), "6", "const", "5"],
  [union(literal("a"), literal("b"), nothing), 5, "enum", ["a", "b", null]],
  [union(literal("a"), { kind: "boolean" }), "b", "enum", ["a", true, false]],
  [union(literal("a"), literal("a")), "b", "const", "a"],
  [union(...Array.from({ length: 51 }, (_, index) => literal(index))), "b", "enum"],
  [union({ kind: "boolean" }, nothing), "b", "type", ["boolean", "null"]],
  [union({ kind: "string", minLength: 1 }, nothing), "", "minLength", 1],
  [union(literal("auto"), { kind: "number", minimum: 0 }), "wide", "anyOf"],
  [union(literal("auto"), { kind: "number", minimum: 0 }), -1, "minimum", 0],
  [union({ kind: "string", minLength: 1 }, { kind: "date" }), "", "anyOf"],
  [{ kind: "never" }, 1, "unknown"],
  [{ kind: "unknown" }, nested(257), "maxDepth", 256],
  [{ kind: "array", element: text, minItems: 1 }, [], "minItems", 1],
  [{ kind: "array", element: text, maxItems: 1 }, ["a", "b"], "maxItems", 1],
  [{ kind: "array", element: text, uniqueItems: true }, ["a", "a"], "uniqueItems"],
  [{ kind: "tuple", elements: [{ shape: text }] }, [], "minItems", 1],
  [{ kind: "tuple", elements: [{ shape: text }] }, ["a", "b"], "maxItems", 1],
  [{ kind: "tuple", elements: [{ shape: text }] }, {}, "type", "array"],
];

describe("the rule of a failure", () => {
  for (const [shape, value, rule, limit] of cases) {
    const of = JSON.stringify(value)?.slice(0, 40) ?? "nothing";
    test(`is ${rule} ${JSON.stringify(limit) ?? ""} for ${of}, which is not a valid ${shape.kind}`, () => {
      const [failure] = explain(shape, value, "wire");
      assert.deepEqual([failure?.rule, failure?.limit], [rule, limit]);
      // A rule without an argument in the shared list never has a limit.
      if (shared.rules[rule]?.limit === null) assert.equal(failure?.limit, undefined);
    });
  }

  test("is written after value and before limit in the JSON of the failure", () => {
    const [failure] = explain({ kind: "string", minLength: 1 }, "", "wire");
    assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(failure)) as object), [
      "path",
      "expected",
      "received",
      "value",
      "rule",
      "limit",
      "suggestion",
    ]);
  });

  test("is maxFailures in the last entry of a list that omits failures", () => {
    const failures = explain(
      { kind: "array", element: text },
      Array.from({ length: 200 }, () => 5),
      "wire",
    );
    assert.deepEqual(
      [failures.length, failures.at(-1)?.rule, failures.at(-1)?.limit],
      [101, "maxFailures", 100],
    );
  });

  test("is type, with names of JavaScript types, for a handler's value of the wrong type", () => {
    for (const [shape, value, limit] of [
      [{ kind: "date" }, "2026-01-01", "Date"],
      [{ kind: "bigint" }, "1", "bigint"],
      [{ kind: "bytes" }, "AAE=", "Uint8Array"],
    ] as const) {
      const [failure] = explain(shape, value, "value");
      assert.deepEqual([failure?.rule, failure?.limit], ["type", limit]);
    }
    const [failure] = explain({ kind: "date" }, new Date(Number.NaN), "value");
    assert.deepEqual([failure?.rule, failure?.limit], ["format", "date-time"]);
  });
});

const account = (shape: Shape): Shape => ({
  kind: "object",
  properties: [{ key: "password", shape, sensitive: true }],
});

describe("the failure of a sensitive field", () => {
  const password = account({ kind: "string", minLength: 8 });

  for (const [value, rule, limit, received] of [
    [{}, "required", undefined, "nothing"],
    [{ password: "" }, "minLength", 8, "string of 0 characters"],
    [{ password: "hunter" }, "minLength", 8, "string"],
    [{ password: 4711 }, "type", "string", "number"],
  ] as const) {
    test(`contains the rule ${rule} but never the value ${JSON.stringify(value)}`, () => {
      const [failure] = explain(password, value, "wire");
      assert.deepEqual([failure?.rule, failure?.limit, failure?.received], [rule, limit, received]);
      assert.doesNotMatch(JSON.stringify(failure), /hunter|4711/);
      assert.equal(failure?.value, rule === "required" ? null : "[redacted]");
    });
  }

  test("has the description of an empty array as its received value", () => {
    const shape = account({ kind: "array", element: text, minItems: 1 });
    const [failure] = explain(shape, { password: [] }, "wire");
    assert.deepEqual([failure?.rule, failure?.received], ["minItems", "array of 0 items"]);
  });
});

/** Returns an email address whose domain and name have the given lengths. */
function email(domain: number, name = 1): string {
  const labels = "a.".repeat(Math.floor((domain - 1) / 2));
  return `${"a".repeat(name)}@${labels}${"a".repeat(domain - labels.length)}`;
}

describe("the length of an email", () => {
  const shape: Shape = { kind: "string", format: "email", maxLength: 255 };

  test("is at most the maxLength of its field", () => {
    assert.equal(email(253).length, 255);
    assert.deepEqual(explain(shape, email(253), "wire"), []);
    const [failure] = explain(shape, email(253, 2), "wire");
    assert.deepEqual([failure?.rule, failure?.limit], ["maxLength", 255]);
    assert.equal(failure?.suggestion, "make it at least 1 character shorter");
  });

  test("is reported with the part of the email that is too long", () => {
    const longer: Shape = { kind: "string", format: "email", maxLength: 400 };
    for (const [value, suggestion] of [
      [email(3, 65), 'shorten the part before "@" to 64 characters'],
      [`a@${"b".repeat(64)}.example`, "shorten each part of the domain to 63 characters"],
      [email(254), "shorten the domain to 253 characters"],
      ["nobody", 'write it like "name@example.com"'],
      ["é@example", 'write it like "name@example.com"'],
    ] as const) {
      const [failure] = explain(longer, value, "wire");
      assert.deepEqual([failure?.rule, failure?.suggestion], ["format", suggestion], value);
    }
  });
});
