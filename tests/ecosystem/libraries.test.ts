// Types that nine libraries infer from constants: kit asks TypeScript for them, and its validators agree with TypeScript on sampled values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { missing } from "./support/installed.ts";
import { build, compare } from "./support/contract.ts";
import { libraries } from "./support/libraries.ts";

let [constants, tested] = [0, 0];

for (const library of libraries) {
  const { name, types, onlyShape } = library;
  const names = Object.keys(types);
  test(
    `types that ${name} infers accept the values that TypeScript accepts`,
    { skip: missing(name) },
    async (context) => {
      const { project, failures, duration } = await build(library, names);
      try {
        context.diagnostic(`${names.length} types in ${Math.round(duration)} ms`);
        assert.deepEqual(failures, []);
        const { stderr } = await project.kitOk("build");
        // A library whose rules kit cannot read is never silent.
        assert.equal(stderr.match(/KIT1323/g)?.length ?? 0, onlyShape ? names.length : 0, stderr);
        const comparison = await compare(project, names);
        assert.deepEqual(comparison.wrong, []);
        context.diagnostic(`${comparison.tested} values, ${comparison.accepted} accepted`);
        assert.ok(comparison.accepted > 0 && comparison.accepted < comparison.tested);
        constants += names.length;
        tested += comparison.tested;
      } finally {
        await project.remove();
      }
    },
  );
}

test(
  "18 constants and at least 300 of their values are compared with TypeScript",
  {
    skip: missing(...libraries.map(({ name }) => name)),
  },
  () => {
    assert.equal(constants, 18);
    assert.ok(tested >= 300, `${tested} values`);
  },
);
