// Notes on Node and Notes in Rust answer alike: the same requests in the same order, on databases that begin equal. Requests are drawn from the
// contracts, spoiled and malformed; each follows from `KIT_SEED` and its number. `KIT_RUNS` chooses how many, `KIT_FIRST` where they begin.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Contracts } from "../../packages/testing/src/coverage/contracts.ts";
import { type Project, repository } from "../e2e/support/project.ts";
import { type Material, requestOf } from "./requests/make.ts";
import { routesOf } from "./requests/routes.ts";
import { DIFFERENCES } from "./support/differences.ts";
import { compare, type Result } from "./support/run.ts";
import { builtNotes, Notes } from "./support/subjects.ts";

const seed = Number(process.env["KIT_SEED"] ?? 20_261_122);
const runs = Number(process.env["KIT_RUNS"] ?? 20_000);
const first = Number(process.env["KIT_FIRST"] ?? 0);

/** In development errors tell more, so that more is compared; most requests are sent as in production. */
const MODES = [
  ["production", 0.7],
  ["development", 0.3],
] as const;

describe("Notes on Node and in Rust", { timeout: 30 * 60_000 }, () => {
  let project: Project;
  let contracts: Contracts;
  before(async () => {
    ({ project, contracts } = await builtNotes());
  });
  after(() => project?.remove());
  const needed = new Set<string>();

  for (const [mode, share] of MODES) {
    test(`answer alike in ${mode}`, async () => {
      const material: Material = {
        routes: routesOf(contracts),
        keys: ["title", "content", "archived", "id", "authorId", "createdAt"],
        queryKeys: ["page", "pageSize"],
      };
      const notes = await Notes.start(project, mode);
      try {
        const result = await compare(notes.lanes, (index) => requestOf(material, seed, index), {
          seed,
          first: first + (mode === "development" ? runs : 0),
          count: Math.ceil(runs * share),
        });
        print(mode, result);
        for (const name of result.needed.keys()) needed.add(name);
        // The texts alone: what \`deepEqual\` says beside them is as long again.
        assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
      } finally {
        await notes.stop();
      }
    });
  }

  test("what is listed as different is", (context) => {
    if (runs < 20_000) return context.skip("few requests find few of them");
    const unneeded = DIFFERENCES.filter(({ name }) => !needed.has(name));
    assert.deepEqual(unneeded, [], "take it out of support/differences.ts");
  });
});

test("the guide lists what must differ", () => {
  const guide = readFileSync(join(repository, "docs/guide/rust-server.md"), "utf8").replaceAll(/\s+/g, " ");
  for (const { reason } of DIFFERENCES) assert.ok(guide.includes(reason), reason);
});

function print(mode: string, { sent, seconds, statuses, needed }: Result): void {
  const counted = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  process.stderr.write(
    `${mode}: ${sent} requests, seed ${seed}, ${seconds.toFixed(1)} s; ${counted.join(", ")}; differ as listed: ${JSON.stringify(Object.fromEntries(needed))}\n`,
  );
}
