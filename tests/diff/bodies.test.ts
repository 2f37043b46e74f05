// Random test of `kit diff` for formats of bodies, files and limits. For pairs of contracts, two running applications judge the result:
// a change breaks requests exactly if there is a request that the old application accepts and the new one refuses.
//
// `KIT_SEED` and `KIT_RUNS` select the pairs.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Project } from "../e2e/support/project.ts";
import { Random } from "../property/support/random.ts";
import { type Contract, contractOf, mutated, sourceOf } from "./support/contracts.ts";
import { requestsOf } from "./support/requests.ts";

const seed = Number(process.env["KIT_SEED"] ?? 2026);
const runs = Number(process.env["KIT_RUNS"] ?? 100);

/** Number of pairs in one project. */
const chunk = 200;

interface Pair {
  readonly before: Contract;
  readonly after: Contract;
}

interface Change {
  readonly id: string;
  readonly consequence: string;
  readonly route: string;
  readonly certain: boolean;
}

type Fetch = (request: Request) => Promise<Response>;

function pairOf(index: number): Pair {
  const random = new Random(Math.imul(seed, 1_000_003) + index);
  const before = contractOf(random);
  return { before, after: random.chance(10) ? contractOf(random) : mutated(random, before) };
}

test("a change of a body breaks requests exactly if a request shows the break", async () => {
  assert.ok(Number.isSafeInteger(seed) && Number.isSafeInteger(runs) && runs > 0);
  const counts = { breaking: 0, compatible: 0, undecided: 0 };
  const complaints: string[] = [];
  for (let start = 0; start < runs; start += chunk) {
    const pairs = Array.from({ length: Math.min(chunk, runs - start) }, (_, index) => pairOf(start + index));
    // Projects are large, so one is built after the other.
    // oxlint-disable-next-line no-await-in-loop
    complaints.push(...(await examine(pairs, counts)));
  }
  console.log(
    `${runs} pairs: ${counts.breaking} break, ${counts.compatible} are compatible, kit cannot decide about ${counts.undecided}`,
  );
  assert.deepEqual(
    complaints.slice(0, 5),
    [],
    `${complaints.length} complaints; KIT_SEED=${seed} KIT_RUNS=${runs}`,
  );
  assert.ok(counts.breaking > runs / 5 && counts.compatible > runs / 5, "both results are common");
});

async function examine(pairs: readonly Pair[], counts: Record<string, number>): Promise<string[]> {
  const projects = await Promise.all([
    project(pairs.map(({ before }) => before)),
    project(pairs.map(({ after }) => after)),
  ]);
  const [before, after] = projects as [Project, Project];
  try {
    const state = join(before.root, "state.json");
    const saved = await before.kit(["diff", "--save", "state.json"], { timeout: 300_000 });
    assert.equal(saved.code, 0, saved.stderr);
    const compared = await after.kit(["diff", state, "--json", "--fail-on", "none"], { timeout: 300_000 });
    assert.equal(compared.code, 0, compared.stderr);
    const { changes } = JSON.parse(compared.stdout) as { changes: readonly Change[] };
    const [old, fresh] = (await Promise.all(projects.map(fetchOf))) as [Fetch, Fetch];
    const complaints: string[] = [];
    for (const [index, pair] of pairs.entries()) {
      const found = changes.filter(
        ({ route, consequence }) => route === `POST /p${index}` && consequence === "breaks-requests",
      );
      // oxlint-disable-next-line no-await-in-loop
      const shown = await shownBreak(pair, index, old, fresh);
      const certain = found.filter((change) => change.certain);
      if (found.length === 0) counts["compatible"]!++;
      else if (certain.length === 0) counts["undecided"]!++;
      else counts["breaking"]!++;
      const source = `\nold:\n${sourceOf(pair.before, index).types}\nnew:\n${sourceOf(pair.after, index).types}`;
      if (found.length === 0 && shown !== undefined)
        complaints.push(`kit finds no break, but ${shown}${source}`);
      if (certain.length > 0 && shown === undefined)
        complaints.push(`no request shows ${certain.map(({ id }) => id).join(", ")}${source}`);
    }
    return complaints;
  } finally {
    await Promise.all(projects.map((one) => one.remove()));
  }
}

/** Returns a description of a request that only the old application accepts; `undefined` if no request is. */
async function shownBreak(pair: Pair, index: number, old: Fetch, fresh: Fetch): Promise<string | undefined> {
  for (const { name, make } of requestsOf(pair.before, pair.after)) {
    const url = `http://localhost/p${index}`;
    // oxlint-disable-next-line no-await-in-loop
    const [before, after] = await Promise.all([old(make(url)), fresh(make(url))]);
    assert.ok(before.status < 500 && after.status < 500, `${name}: ${before.status}, ${after.status}`);
    if (before.ok && !after.ok) return `${name} gets ${after.status}: ${await after.text()}`;
  }
  return undefined;
}

async function project(contracts: readonly Contract[]): Promise<Project> {
  const sources = contracts.map(sourceOf);
  const options = sources.flatMap(({ option }) => (option === undefined ? [] : [option]));
  const routes = [
    'import type { Bytes, Form, Json, Multipart, Raw, RouteContract, Text } from "@kit/types";',
    ...sources.map(({ types }) => types),
    `export interface Routes {\n${sources.map(({ route }) => `  ${route}`).join("\n")}\n}`,
    "",
  ].join("\n");
  const app = [
    'import { createApp, defineHandlers } from "@kit/core";',
    'import compiled from "../.kit/routes/index.ts";',
    'import type { Routes } from "./all.routes.ts";',
    `const handlers = defineHandlers<Routes>({ ${contracts.map((_, index) => `"POST /p${index}": () => {}`).join(", ")} });`,
    `export const app = createApp({ compiled, routes: [{ handlers, on: { ${options.join(", ")} } }], logging: { level: "error" } });`,
    "",
  ].join("\n");
  const made = await Project.of(
    new Map([
      ["package.json", JSON.stringify({ name: "bodies", private: true, type: "module" })],
      ["src/all.routes.ts", routes],
      ["src/app.ts", app],
    ]),
  );
  const { code, stdout, stderr } = await made.kit(["build", "--no-compile"], { timeout: 300_000 });
  assert.equal(code, 0, `${stdout}${stderr}\n${routes}`);
  return made;
}

async function fetchOf({ root }: Project): Promise<Fetch> {
  const { app } = (await import(pathToFileURL(join(root, "src/app.ts")).href)) as { app: { fetch: Fetch } };
  return app.fetch;
}
