import assert from "node:assert/strict";
import { test } from "node:test";

import { explain, type Shape } from "@kit/core/codec";
import type { Decimal } from "@kit/types";
import * as fc from "fast-check";

import type { RuleOf } from "../../src/factory/types.ts";
import { violationsOf } from "../../src/values/rules.ts";

/** `Decimal<3, 2>` with `@minimum 0.50 @exclusiveMaximum 9`. */
const price: Shape = {
  kind: "string",
  pattern: /^(?:0\.[5-9][0-9]?|[1-8](?:\.[0-9]{1,2})?)$/,
  words: "with a decimal number",
  bounds: { minimum: "0.50", exclusiveMaximum: "9" },
};

test("wrong decimal numbers break the rule that the validator names", () => {
  const found = violationsOf(price, "wire", false).filter(({ rule }) => rule !== "null" && rule !== "type");
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ["minimum", "exclusiveMaximum", "format"] satisfies RuleOf<Decimal<3, 2>>[],
  );
  for (const { rule, given } of found)
    for (const value of fc.sample(given, { seed: 7, numRuns: 40 }))
      assert.equal(explain(price, value, "wire")[0]?.rule, rule, JSON.stringify(value));
});
