// The oracle: what kit understands of a type is what TypeScript's own checker understands.
//
// Each exported type of `fixtures/types/` is expanded by the checker and compared with kit's IR; then values are shown to the
// validator that kit built for it, and its verdicts are compared with the checker's assignability. What is known to differ stands
// in `differences.json` with its reason. That list can only shrink: an entry that no longer differs fails the test.
//
// `node tests/oracle/show.ts` prints what differs.

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

test("the fixtures are TypeScript without mistakes, and kit builds them", () =>
  assert.deepEqual(report.problems, []));

test("there is enough to compare", () => {
  assert.ok(report.findings.filter(({ about }) => about === "type").length >= 500);
  assert.ok(report.values.shown >= 4_000, `${report.values.shown} values were shown`);
  // Neither half may be empty: a validator that takes everything, or nothing, would look right.
  const share = report.values.accepted / report.values.shown;
  assert.ok(share > 0.2 && share < 0.8, `${share} of them were accepted`);
});

test("every known difference has its reason and is about something", () => {
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
        test(`${title} not yet: ${listed.reason}`, () =>
          assert.notEqual(difference, undefined, "it no longer differs: remove it from differences.json"));
    }
  });
