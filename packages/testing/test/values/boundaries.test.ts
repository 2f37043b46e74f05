// Tests of the cases of `conformance/boundaries.json`, which contract tests and the Rust runtime pass too.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { explain, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import vectors from "../../../../conformance/boundaries.json" with { type: "json" };
import { violationsOf } from "../../src/values/rules.ts";

interface Case {
  readonly type: string;
  readonly rules: Readonly<Record<string, unknown>>;
  readonly kept: readonly unknown[];
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

function shapeOf({ type, rules }: Case): Shape {
  const { pattern } = rules;
  return {
    kind: type,
    ...rules,
    ...(typeof pattern === "string" && { pattern: new RegExp(pattern, "u") }),
    ...(type === "array" && { element: { kind: "number" } }),
  } as Shape;
}

for (const vector of vectors.cases as readonly Case[]) {
  const shape = shapeOf(vector);
  describe(`the rules ${JSON.stringify(vector.rules)} of the type ${vector.type}`, () => {
    test("accept each value that satisfies the rules", () => {
      for (const value of vector.kept) assert.deepEqual(explain(shape, value, "wire"), []);
    });

    test("refuse each broken value with one failure that names the rule", () => {
      for (const [rule, values] of Object.entries(vector.broken)) {
        for (const value of values) {
          const failures = explain(shape, value, "wire");
          assert.deepEqual(
            failures.map((failure) => [failure.path, failure.rule]),
            [["$", rule]],
            JSON.stringify(value),
          );
        }
      }
    });

    test("can each be broken by random values that satisfy the other rules", () => {
      const violations = violationsOf(shape, "wire", false);
      const rules = new Map(violations.map(({ rule, given }) => [rule as string, given]));
      for (const rule of Object.keys(vector.broken).filter((name) => name in vector.rules)) {
        const given = rules.get(rule);
        assert.ok(given !== undefined, rule);
        for (const value of fc.sample(given, { numRuns: 100, seed: 7 })) {
          assert.equal(explain(shape, value, "wire").length, 1, JSON.stringify(value));
        }
      }
    });
  });
}

test("the conformance file has an invalid value for every rule with a bound", () => {
  const broken = (vectors.cases as readonly Case[]).flatMap((vector) => Object.keys(vector.broken));
  assert.deepEqual([...new Set(broken)].toSorted(), [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "type",
    "uniqueItems",
  ]);
});
