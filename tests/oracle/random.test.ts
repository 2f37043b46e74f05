// Compares kit's interpretation of random types with that of TypeScript's type checker, as `oracle.test.ts` does with the fixtures.
// `KIT_SEED` selects other types, and `KIT_RUNS` their number. About ten values of each type are compared too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { examine } from "./support/examine.ts";
import type { Exported } from "./support/ir.ts";
import { Fixtures } from "./support/project.ts";
import { randomFile } from "./support/random-types.ts";
import { Random } from "./support/values.ts";

const seed = process.env["KIT_SEED"] ?? "2026";
const runs = Number(process.env["KIT_RUNS"] ?? 200);
/** Number of types in one project. */
const SIZE = 400;

/** Refusal of a type that kit cannot know. The error names the constructor, so that the user can write its type arguments. */
const NOT_INFERRED = /^kit refuses it: KIT1322 kit does not infer the type of `new /;

/** Results of validators that differ from TypeScript on purpose, by the text of the type and the complaint. */
const intended: readonly (readonly [type: RegExp, complaint: RegExp])[] = [
  // TypeScript takes `0x1` and not `01` as a bigint. For kit, a bigint has decimal digits, as on the wire.
  [/\$\{bigint\}/, /^kit refuses [^]*0x|^kit takes [^]*["'][^"']*0\d/],
  // In TypeScript, `Omit<T, keyof T>` takes texts and lists, and so do intersections without required properties; kit takes objects only.
  [/&|Omit|Pick/, /^kit refuses (?!\{)/],
];

test(`${runs} random types and their values agree with TypeScript`, async (context) => {
  const random = new Random(seed);
  const counts = { types: 0, refused: 0, tested: 0, accepted: 0 };
  for (let first = 0; first < runs; first += SIZE) {
    const text = randomFile(random, first, Math.min(SIZE, runs - first));
    const declarations = declarationsOf(text);
    const declared = ({ name }: Exported): string => declarations.get(name) ?? "";
    await using fixtures = await Fixtures.of(new Map([["random.types.ts", text]]));
    const report = await examine(fixtures, (type, complaint) =>
      intended.some(([types, complaints]) => types.test(declared(type)) && complaints.test(complaint)),
    );
    assert.deepEqual(report.problems, []);
    for (const { type, about, difference } of report.findings) {
      if (about === "type") counts.types += 1;
      if (difference === undefined) continue;
      if (NOT_INFERRED.test(difference)) counts.refused += 1;
      else assert.fail(`${declarations.get(type.split(":")[1]!)}\n  ${difference}`);
    }
    counts.tested += report.values.tested;
    counts.accepted += report.values.accepted;
  }
  const { types, refused, tested, accepted } = counts;
  context.diagnostic(`${types} types, ${refused} refused; ${tested} values, ${accepted} accepted`);
  assert.ok(refused < types / 3, `${refused} of ${types} types were refused`);
  // Validators that accept every value, or none, would pass the checks above.
  assert.ok(accepted > tested / 5 && accepted < (tested * 4) / 5, `${accepted} of ${tested} were accepted`);
});

/** Returns the declaration of each exported type, with the declaration that precedes it. */
function declarationsOf(text: string): Map<string, string> {
  const found = text.matchAll(/((?:^(?!export).*\n)*)^export type (T\d+) = .*$/gm);
  return new Map([...found].map(([whole, , name]) => [name!, whole]));
}
