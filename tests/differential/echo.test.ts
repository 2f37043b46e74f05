// Compares the decoders and encoders of Node and Rust for types of every kind. `fixtures/echo` responds with the values that it has
// decoded.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { Contracts } from "../../packages/testing/src/coverage/contracts.ts";
import { Project } from "../e2e/support/project.ts";
import { parameter } from "./requests/heads.ts";
import { afterKnown } from "./requests/regressions.ts";
import { type Material, requestOf } from "./requests/generate.ts";
import { keysOf, routesOf } from "./requests/routes.ts";
import { insistOnNeeded } from "./support/differences.ts";
import { compare } from "./support/run.ts";
import { first, assertAccepted, MODES, print, runs, seed } from "./support/settings.ts";
import { builtEcho, Servers } from "./support/subjects.ts";

const usual = 4_000;
const count = runs(usual);

describe("types of every kind on Node and in Rust", { timeout: 30 * 60_000 }, () => {
  /** Project whose database the Rust server uses. */
  let project: Project;
  let contracts: Contracts;
  before(async () => {
    contracts = await builtEcho();
    project = await Project.empty();
  });
  after(() => project?.remove());
  const needed = new Set<string>();

  for (const [mode, share] of MODES) {
    test(`are decoded and encoded equally in ${mode}`, async () => {
      const routes = routesOf(contracts);
      const material: Material = {
        routes,
        keys: keysOf(routes, "body"),
        queryKeys: keysOf(routes, "query"),
        headerNames: keysOf(routes, "headers"),
        cookieNames: keysOf(routes, "cookies"),
        remembers: false,
        parameter,
        path: (random) =>
          `${random.pick(routes).path.replaceAll(/:\w+/g, () => parameter(random))}${random.pick(["", "/", "//", "/more"])}`,
      };
      const servers = await Servers.echo(project, mode);
      try {
        const start = first + (mode === "development" ? count : 0);
        const result = await compare(
          servers.lanes,
          afterKnown(start, (index) => requestOf(material, seed, index)),
          { seed, first: start, count: Math.ceil(count * share) },
        );
        for (const name of result.needed.keys()) needed.add(name);
        print(`types, ${mode}`, result);
        assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
        assertAccepted(routes, result);
      } finally {
        await servers.stop();
      }
    });
  }

  test("show every difference in the list of intended differences", (context) => {
    if (count < usual) return context.skip("few requests find few of them");
    insistOnNeeded("types", needed);
  });
});
