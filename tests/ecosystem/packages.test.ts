// Types of packages that many projects use: each builds, or is refused at once with a message that says where and what to do. The validators
// agree with TypeScript on sampled values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { missing } from "./support/installed.ts";
import { build, compare, type Message } from "./support/contract.ts";
import { packages } from "./support/packages.ts";

/** Longest duration of a refusal in milliseconds, with an unoptimized compiler on a busy machine. */
const SLOWEST = 20_000;

let tested = 0;

for (const contract of packages) {
  const { name, types, refused = {} } = contract;
  const builds = Object.keys(types).filter((type) => refused[type] === undefined);
  test(`types of ${name} build, or are refused with a message`, { skip: missing(name) }, async (context) => {
    if (builds.length > 0) {
      const { project, failures, duration } = await build(contract, builds);
      try {
        context.diagnostic(`${builds.length} types in ${Math.round(duration)} ms`);
        assert.deepEqual(failures, []);
        const comparison = await compare(project, builds);
        assert.deepEqual(comparison.wrong, []);
        context.diagnostic(`${comparison.tested} values, ${comparison.accepted} accepted`);
        assert.ok(comparison.accepted > 0 && comparison.accepted < comparison.tested);
        tested += comparison.tested;
      } finally {
        await project.remove();
      }
    }
    for (const [type, message] of Object.entries(refused)) {
      // One build at a time, as users do.
      // oxlint-disable-next-line no-await-in-loop
      const alone = await build(contract, [type]);
      context.diagnostic(`${type}: refused in ${Math.round(alone.duration)} ms`);
      // oxlint-disable-next-line no-await-in-loop
      await alone.project.remove();
      const [first] = alone.failures;
      assert.match(first?.message ?? "", message, `${type}: ${JSON.stringify(alone.failures)}`);
      for (const failure of alone.failures) assertActionable(type, failure);
      assert.ok(alone.duration < SLOWEST, `${type} took ${alone.duration} ms`);
    }
  });
}

test(
  "at least 300 values of types of packages are compared with TypeScript",
  {
    skip: missing(...packages.map(({ name }) => name)),
  },
  () => assert.ok(tested >= 300, `${tested} values`),
);

/** Checks that a message is at a place that the project can change, and says what to do. */
function assertActionable(type: string, { code, message, path, suggestion }: Message): void {
  const said = `${type}: ${code} ${message}`;
  assert.match(path ?? "", /^src\//, said);
  assert.ok((suggestion ?? "").length > 10, said);
}
