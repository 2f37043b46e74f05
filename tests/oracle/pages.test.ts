// The literate pages of the evaluator say what TypeScript says: each `revealed:` of `crates/kit-typescript/tests/mdtest` is held against
// the checker, in the canonical form in which kit's wire rules (`readonly`, brands, `undefined` as `?`) make no difference.
// `cargo test -p kit-typescript --test mdtest` holds the same claims against kit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { examinePages } from "./support/pages.ts";

const { claims, problems } = await examinePages();

test("the pages are TypeScript, save where they say that they are not", () => assert.deepEqual(problems, []));

test("there is enough to compare", () => assert.ok(claims.length >= 250, `${claims.length} claims`));

test("every revealed type is TypeScript's", () => {
  const wrong = claims.filter(({ difference }) => difference !== undefined);
  const shown = wrong.map(({ place, name, difference }) => `${place} ${name}\n  ${difference}`);
  assert.equal(shown.length, 0, `\n${shown.join("\n")}`);
});
