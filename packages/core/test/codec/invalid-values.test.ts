import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";

import type { Shape } from "@kit/core/codec";
import type { Validator } from "@kit/types";

import { validValue, invalidValues } from "./invalid-values.ts";

const goldens = new URL("../../../../crates/kit-emit/tests/goldens/", import.meta.url);
let all = 0;

for (const app of ["notes", "kitchen-sink", "directions"]) {
  describe(`every mutated value of the types of ${app} is refused`, () => {
    const directory = new URL(`${app}/`, goldens);
    const files = readdirSync(new URL("validators/", directory));
    for (const file of files.filter((name) => name.endsWith(".validator.ts"))) {
      const name = file.slice(0, -".validator.ts".length);
      test(name, async () => {
        const module = (await import(new URL("codecs.js", directory).href)) as Record<string, unknown>;
        const shape = module[`${name}Shape`] as Shape;
        const { is, failures, decode } = module[`${name}Validator`] as Validator<unknown>;
        for (const full of [true, false]) {
          const value = validValue(shape, full);
          assert.deepEqual(failures(value), [], JSON.stringify(value));
          assert.ok(is(value), JSON.stringify(value));
          decode(structuredClone(value));
          for (const { value: wrong, path, how, exact } of invalidValues(shape, value)) {
            const paths = failures(wrong).map((failure) => failure.path);
            const description = `${how} at ${path}: ${JSON.stringify(wrong)}`;
            assert.equal(is(wrong), false, description);
            if (exact) assert.deepEqual(paths, [path], description);
            else
              assert.ok(
                paths.length > 0 && paths.every((found) => path.startsWith(found) || found.startsWith(path)),
                description,
              );
            all++;
          }
        }
      });
    }
  });
}

test("the tests of mutated values cover a sufficient number of values", () => {
  assert.ok(all > 1000, `only ${all} invalid values were checked`);
});
