// Compares the documentation pages of the evaluator with TypeScript: each `revealed:` in `crates/kit-typescript/tests/mdtest` must
// equal the result of the type checker. Both are normalized, because kit ignores `readonly` and brands, and treats `undefined` like
// `?`.
//
// `cargo test -p kit-typescript --test mdtest` compares the same pages with kit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { examinePages } from "./support/pages.ts";

const { claims, problems } = await examinePages();

test("the pages are valid TypeScript, except for the mistakes that they declare", () =>
  assert.deepEqual(problems, []));

test("the pages contain at least 250 statements about types", () =>
  assert.ok(claims.length >= 250, `${claims.length} claims`));

test("every type on the pages equals TypeScript's type", () => {
  const wrong = claims.filter(({ difference }) => difference !== undefined);
  const differences = wrong.map(({ place, name, difference }) => `${place} ${name}\n  ${difference}`);
  assert.equal(differences.length, 0, `\n${differences.join("\n")}`);
});
