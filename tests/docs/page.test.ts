import assert from "node:assert/strict";
import { test } from "node:test";

import { matches } from "./page.ts";

test("matches accepts an output that equals the transcript except at `…`", () => {
  for (const [actual, expected] of [
    ["one\n", "one"],
    ["one\ntwo\n", "one\ntwo\n"],
    ["in 12 ms", "in … ms"],
    ["one\ntwo\nthree", "one\n…\nthree"],
    ["one\nthree", "one\n…\nthree"],
    ["one", "…\none\n…"],
    ["zero\none\ntwo", "…\none\n…"],
    ["", "…"],
  ] as const)
    assert.ok(matches(actual, expected), `${JSON.stringify(actual)} is ${JSON.stringify(expected)}`);
  for (const [actual, expected] of [
    ["one", "two"],
    ["one\ntwo", "one"],
    ["one", "one\ntwo"],
    ["in 12 s", "in … ms"],
    ["one\nthree", "one\n…\ntwo\n…\nthree"],
    ["someone\nthree", "…\none\n…"],
    ["onethree", "one\n…\nthree"],
    ["one", "one\n…\none"],
    ["", "one"],
  ] as const)
    assert.ok(!matches(actual, expected), `${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
});
