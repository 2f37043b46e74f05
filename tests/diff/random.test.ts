// Random test of `kit diff`. For pairs of types, the validators and serializers that kit generates judge the result: a change breaks
// requests exactly if there is a value that the old validator accepts and the new one refuses, and it breaks answers exactly if the new
// serializer writes a value that the old validator refuses.
//
// `KIT_SEED` and `KIT_RUNS` select the pairs.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Project } from "../e2e/support/project.ts";
import { generate } from "../property/support/generate.ts";
import type { Subject } from "../property/support/model.ts";
import { type Artifacts, files, load } from "../property/support/project.ts";
import { Random } from "../property/support/random.ts";
import { source } from "../property/support/source.ts";
import { Values } from "../property/support/values.ts";
import { mutate } from "./support/mutate.ts";

const seed = Number(process.env["KIT_SEED"] ?? 2026);
const runs = Number(process.env["KIT_RUNS"] ?? 150);

/** Number of pairs in one project. */
const CHUNK = 250;

/** Number of values of each type that are judged. */
const VALUES = 60;

interface Pair {
  readonly before: Subject;
  readonly after: Subject;
}

interface Change {
  readonly id: string;
  readonly consequence: string;
  readonly route: string;
  readonly certain: boolean;
  readonly message: string;
  readonly example?: unknown;
}

interface Counts {
  breaking: number;
  compatible: number;
  /** Number of slots about which kit cannot decide. */
  undecided: number;
}

function pairOf(index: number): Pair {
  const random = new Random(Math.imul(seed, 1_000_003) + index);
  const before = generate(random, `S${index}Type`);
  // A few pairs have nothing to do with each other.
  const after = random.chance(10) ? generate(random, before.name) : mutate(random, before);
  return { before, after };
}

test("a change breaks requests or answers exactly if a value shows the break", async () => {
  assert.ok(
    Number.isSafeInteger(seed) && Number.isSafeInteger(runs) && runs > 0,
    "KIT_SEED and KIT_RUNS are numbers",
  );
  const counts: Counts = { breaking: 0, compatible: 0, undecided: 0 };
  const complaints: string[] = [];
  for (let start = 0; start < runs; start += CHUNK) {
    const pairs = Array.from({ length: Math.min(CHUNK, runs - start) }, (_, index) => pairOf(start + index));
    // Projects are large, so one is built after the other.
    // oxlint-disable-next-line no-await-in-loop
    complaints.push(...(await examine(pairs, counts)));
  }
  console.log(
    `${runs} pairs: ${counts.breaking} slots break, ${counts.compatible} are compatible, kit cannot decide about ${counts.undecided}`,
  );
  assert.deepEqual(
    complaints.slice(0, 5),
    [],
    `${complaints.length} complaints; KIT_SEED=${seed} KIT_RUNS=${runs}`,
  );
  assert.ok(counts.breaking > runs / 5 && counts.compatible > runs / 5, "both results are common");
  assert.ok(counts.undecided <= runs / 20, `kit cannot decide about ${counts.undecided} slots`);
});

/** Builds both types of each pair, and compares the result of `kit diff` with the judgement of the generated code. */
async function examine(given: readonly Pair[], counts: Counts): Promise<string[]> {
  const [before, after] = await Promise.all([Project.empty(), Project.empty()]);
  try {
    const pairs = await buildable(before, after, given);
    const state = join(before.root, "state.json");
    const saved = await before.kit(["diff", "--save", "state.json"], { timeout: 300_000 });
    assert.equal(saved.code, 0, saved.stderr);
    const compared = await after.kit(["diff", state, "--json", "--fail-on", "none"], { timeout: 300_000 });
    assert.equal(compared.code, 0, compared.stderr);
    const { changes } = JSON.parse(compared.stdout) as { changes: readonly Change[] };
    const complaints: string[] = [];
    for (const pair of pairs) {
      const own = changes.filter(({ route }) => route === `PUT /${pair.before.name}`);
      // oxlint-disable-next-line no-await-in-loop
      const codes = await Promise.all([before, after].map(({ root }) => load(root, pair.before.name)));
      const [old, fresh] = codes as [Artifacts, Artifacts];
      for (const complaint of judge(pair, old, fresh, own, counts)) {
        complaints.push(`${complaint}\n\nold:\n${source(pair.before)}\nnew:\n${source(pair.after)}`);
      }
    }
    return complaints;
  } finally {
    await Promise.all([before.remove(), after.remove()]);
  }
}

/** Writes and builds both projects. Leaves out pairs with a type that kit refuses, and returns the others. */
async function buildable(before: Project, after: Project, given: readonly Pair[]): Promise<readonly Pair[]> {
  let pairs = given;
  for (;;) {
    const refused = new Set<string>();
    for (const [project, side] of [
      [before, "before"],
      [after, "after"],
    ] as const) {
      // Reason: the second project must not have types that the first one refused.
      // oxlint-disable-next-line no-await-in-loop
      await write(project.root, files(pairs.map((pair) => pair[side])));
      // oxlint-disable-next-line no-await-in-loop
      const { code, stdout, stderr } = await project.kit(["build", "--json"], { timeout: 300_000 });
      if (code === 0) continue;
      const names = pairs
        .map(({ before: { name } }) => name)
        .filter((name) => stdout.includes(`/${name}.types.ts`));
      assert.ok(names.length > 0, `kit build failed:\n${stdout}${stderr}`);
      for (const name of names) refused.add(name);
    }
    if (refused.size === 0) return pairs;
    pairs = pairs.filter(({ before: { name } }) => !refused.has(name));
    assert.ok(pairs.length * 2 > given.length, "kit builds most of the types");
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all([before, after].map(({ root }) => rm(join(root, "src"), { recursive: true })));
  }
}

async function write(root: string, texts: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(join(root, "src"), { recursive: true });
  await Promise.all([...texts].map(([path, text]) => writeFile(join(root, path), text)));
}

function* judge(
  pair: Pair,
  old: Artifacts,
  fresh: Artifacts,
  changes: readonly Change[],
  counts: Counts,
): Generator<string> {
  const random = new Random(seed);
  const requests = new Values(random, pair.before.named);
  const answers = new Values(random, pair.after.named);
  const sides = [
    {
      consequence: "breaks-requests",
      sample: (): unknown => requests.of(pair.before.model).wire,
      isSent: (value: unknown): boolean => old.validator.is(value),
      isAccepted: (value: unknown): boolean => fresh.validator.is(value),
    },
    {
      consequence: "breaks-answers",
      sample: (): unknown => JSON.parse(fresh.serializer.serialize(answers.of(pair.after.model).value)),
      isSent: (value: unknown): boolean => fresh.validator.is(value),
      isAccepted: (value: unknown): boolean => old.validator.is(value),
    },
  ];
  for (const { consequence, sample, isSent, isAccepted } of sides) {
    const found = changes.filter((change) => change.consequence === consequence);
    if (found.length === 0) {
      counts.compatible++;
      for (let count = 0; count < VALUES; count++) {
        const value = sample();
        if (isSent(value) && !isAccepted(value)) {
          yield `kit finds no change that ${consequence}, but ${JSON.stringify(value)} shows one`;
          break;
        }
      }
      continue;
    }
    const certain = found.filter((change) => change.certain);
    if (certain.length === 0) counts.undecided++;
    else counts.breaking++;
    for (const change of certain) {
      const { example } = change;
      // An absent property of an answer with a default is in the validator's set, but not in the type of answers.
      const isMissing = change.id.endsWith(": property-required") || change.id.endsWith(": property-removed");
      // Clients expect a `bigint` as a string, although the validator also accepts a number.
      const isBigint = change.message.includes("bigint");
      const isShown = isAccepted(example) && !((isMissing || isBigint) && consequence === "breaks-answers");
      if (!isSent(example) || isShown)
        yield `${change.id} has the example ${JSON.stringify(example)}, which ${isSent(example) ? "is accepted" : "nobody sends"}`;
    }
  }
}
