// Compares Notes on Node with Notes in Rust. Both get the same requests in the same order, and their databases are equal at first. The
// requests are generated from the contracts, valid and invalid, and some are malformed. `KIT_SEED` and its number determine a request.
// `KIT_RUNS` is the number of requests, and `KIT_FIRST` the number of the first one.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import type { Contracts } from "../../packages/testing/src/coverage/contracts.ts";
import { type Project, repository } from "../e2e/support/project.ts";
import { id, path } from "./requests/heads.ts";
import { type Material, requestOf } from "./requests/generate.ts";
import { keysOf, routesOf } from "./requests/routes.ts";
import { DIFFERENCES, insistOnNeeded } from "./support/differences.ts";
import { compare } from "./support/run.ts";
import { first, assertAccepted, MODES, print, runs, seed } from "./support/settings.ts";
import { builtNotes, Servers } from "./support/subjects.ts";

const usual = 6_000;
const count = runs(usual);

describe("Notes on Node and in Rust", { timeout: 30 * 60_000 }, () => {
  let project: Project;
  let contracts: Contracts;
  before(async () => {
    ({ project, contracts } = await builtNotes());
  });
  after(() => project?.remove());
  const needed = new Set<string>();

  for (const [mode, share] of MODES) {
    test(`respond equally in ${mode}`, async () => {
      const routes = routesOf(contracts);
      const [keys, queryKeys] = [keysOf(routes, "body"), keysOf(routes, "query")];
      const material: Material = {
        routes,
        keys: [...keys, "id", "authorId", "createdAt"],
        queryKeys,
        headerNames: [],
        cookieNames: [],
        remembers: true,
        parameter: id,
        path,
      };
      const servers = await Servers.notes(project, mode);
      try {
        const result = await compare(servers.lanes, (index) => requestOf(material, seed, index), {
          seed,
          first: first + (mode === "development" ? count : 0),
          count: Math.ceil(count * share),
        });
        print(`Notes, ${mode}`, result);
        for (const name of result.needed.keys()) needed.add(name);
        // Shows only the differences, because the diff of `deepEqual` would print everything twice.
        assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
        assertAccepted(routes, result);
      } finally {
        await servers.stop();
      }
    });
  }

  test("show every difference in the list of intended differences", (context) => {
    if (count < usual) return context.skip("few requests find few of them");
    insistOnNeeded("Notes", needed);
  });
});

test("the guide describes every intended difference", () => {
  const page = readFileSync(join(repository, "docs/guide/rust-differences.md"), "utf8");
  const guide = page.replaceAll(/\s+/g, " ");
  for (const { reason } of DIFFERENCES) assert.ok(guide.includes(reason), reason);
});
