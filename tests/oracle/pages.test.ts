// Compares the literate pages of the evaluator with TypeScript: each `revealed:` of `crates/kit-typescript/tests/mdtest` must equal the
// checker's result, in a canonical form that ignores kit's wire rules (`readonly`, brands, `undefined` as `?`).
// `cargo test -p kit-typescript --test mdtest` checks the same claims with kit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { examinePages } from "./support/pages.ts";

const { claims, problems } = await examinePages();

test("the pages are valid TypeScript except for declared mistakes", () => assert.deepEqual(problems, []));

test("the pages have at least 250 claims", () => assert.ok(claims.length >= 250, `${claims.length} claims`));

test("every revealed type equals TypeScript's type", () => {
  const wrong = claims.filter(({ difference }) => difference !== undefined);
  const shown = wrong.map(({ place, name, difference }) => `${place} ${name}\n  ${difference}`);
  assert.equal(shown.length, 0, `\n${shown.join("\n")}`);
});
