// Compares kit's interpretation of types with that of TypeScript's type checker.
//
// The checker expands each exported type of `fixtures/types/`, and the result is compared with kit's IR. Then kit's validator for the type
// checks values, and its results are compared with the checker's assignability. `differences.json` lists the known differences with their
// reasons. The list may only become shorter: the test fails if an entry is no longer a difference.
//
// `node tests/oracle/show.ts` prints the differences.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { differs, readDifferences } from "./support/differences.ts";
import { type About, examine } from "./support/examine.ts";
import { Fixtures } from "./support/project.ts";

const TITLES: Readonly<Record<About, string>> = {
  type: "is the type that TypeScript has",
  values: "takes the values that TypeScript assigns",
  refusal: "is refused",
};

const known = await readDifferences();
const fixtures = await Fixtures.copy();
after(() => fixtures.remove());
const report = await examine(fixtures);

test("the fixtures are valid TypeScript, and kit can build them", () =>
  assert.deepEqual(report.problems, []));

test("at least 500 types and 4,000 values are compared", () => {
  assert.ok(report.findings.filter(({ about }) => about === "type").length >= 500);
  assert.ok(report.values.tested >= 4_000, `${report.values.tested} values were tested`);
  // Validators that accept every value, or none, would pass the other tests.
  const share = report.values.accepted / report.values.tested;
  assert.ok(share > 0.2 && share < 0.8, `${share} of them were accepted`);
});

test("every known difference has a reason and still occurs", () => {
  for (const entry of known) {
    const { type, about, reason } = entry;
    assert.ok(reason.length > 10, `${type} ${about} needs a reason`);
    const compared = report.findings.some((finding) => differs(entry, finding));
    assert.ok(compared, `${type} ${about} is not compared; remove it from differences.json`);
  }
});

for (const [fixture, findings] of Object.entries(
  Object.groupBy(report.findings, ({ type }) => type.split(":")[0] ?? ""),
))
  describe(fixture, () => {
    for (const finding of findings ?? []) {
      const { type, about, difference } = finding;
      const listed = known.find((entry) => differs(entry, finding));
      const title = `${type.split(":")[1]} ${TITLES[about]}`;
      if (listed === undefined) test(title, () => assert.equal(difference, undefined, difference));
      else
        test(`${title} differs: ${listed.reason}`, () =>
          assert.notEqual(difference, undefined, "it no longer differs: remove it from differences.json"));
    }
  });
