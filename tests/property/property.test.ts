// Property test of types. A valid value must be accepted and must be the same after decoding, encoding and decoding again. A value that is
// invalid at one location must be refused, and the failure must name that location.
//
// Types are generated at random as models. These are written as TypeScript in many spellings, and `kit build` builds them. Only the model
// decides which values are valid. `KIT_SEED` and `KIT_RUNS` select the types. A type that fails is reduced before it is shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, type Counts } from "./support/check.ts";
import { generate } from "./support/generate.ts";
import type { Subject } from "./support/model.ts";
import { build } from "./support/project.ts";
import { Random } from "./support/random.ts";
import { reduce } from "./support/reduce.ts";
import { source } from "./support/source.ts";

const seed = Number(process.env["KIT_SEED"] ?? 2026);
const runs = Number(process.env["KIT_RUNS"] ?? 400);

/** Maximum number of failing types that are reduced and shown. */
const MOST_SHOWN = 3;

/** Factor for the number of values during the reduction, because a smaller type may fail only with other values. */
const TRIALS = 10;

/** Returns the complaint about each type, or `undefined` if the type passes. */
async function examine(
  subjects: readonly Subject[],
  counts: Counts,
  trials = 1,
): Promise<(string | undefined)[]> {
  const built = await build(subjects);
  return subjects.map((subject, index) => {
    const artifacts = built.get(subject);
    assert.ok(artifacts !== undefined, `${subject.name} was not built`);
    if (typeof artifacts === "string") return artifacts;
    for (let trial = 0; trial < trials; trial++) {
      const complaint = check(subject, artifacts, Math.imul(seed, 1_009) + index + trial * runs, counts);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  });
}

/** Returns the length of the type's source, without its name. */
function size(subject: Subject): number {
  return source(subject).replaceAll(subject.name, "").length;
}

/** Returns true for each type that fails with a complaint of the same kind. */
async function failAs(complaint: string, subjects: readonly Subject[]): Promise<boolean[]> {
  if (subjects.length === 0) return [];
  const [kind = ""] = complaint.split(" ", 1);
  const complaints = await examine(subjects, { accepted: 0, refused: 0 }, TRIALS);
  return complaints.map((found) => found?.startsWith(`${kind} `) ?? false);
}

test("a value of a random type is accepted and unchanged after encoding and decoding, and an invalid value is refused", async () => {
  assert.ok(
    Number.isSafeInteger(seed) && Number.isSafeInteger(runs) && runs > 0,
    "KIT_SEED and KIT_RUNS are numbers",
  );
  const subjects = Array.from({ length: runs }, (_, index) =>
    generate(new Random(Math.imul(seed, 1_000_003) + index), `S${index}Type`),
  );
  const counts: Counts = { accepted: 0, refused: 0 };
  const complaints = await examine(subjects, counts);
  const reports: string[] = [];
  for (const [index, complaint] of complaints.entries()) {
    const subject = subjects[index];
    if (complaint === undefined || subject === undefined) continue;
    if (reports.length >= MOST_SHOWN) {
      reports.push(`${subject.name}: ${complaint.slice(0, 200)}`);
      continue;
    }
    const smallest = await reduce(subject, size, (candidates) => failAs(complaint, candidates));
    const [about = complaint] = await examine([smallest], { accepted: 0, refused: 0 }, TRIALS);
    reports.push(`${subject.name} is wrong, as is this smaller type:\n\n${source(smallest)}\nkit ${about}`);
  }
  assert.equal(
    reports.length,
    0,
    `${reports.length} of ${runs} types; again with KIT_SEED=${seed} KIT_RUNS=${runs}\n\n${reports.join("\n\n")}`,
  );
  // The numbers of accepted and of refused values must be large. Otherwise validators that accept every value, or none, would pass.
  assert.ok(counts.accepted > runs * 4, `only ${counts.accepted} values were accepted`);
  assert.ok(counts.refused > runs * 10, `only ${counts.refused} values were refused`);
});
