// Compares the decoders and encoders of Node and Rust for types of every kind. `fixtures/echo` responds with the values that it has
// decoded. `fixtures/echo-errors` has the same routes, and an error format of its own with the status 422.

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
/** Applications, each with its part of the requests and the name of its intended differences. */
const APPLICATIONS = [
  { application: "echo", part: 1, differences: "types" },
  { application: "echo-errors", part: 0.2, differences: "errors" },
] as const;

for (const { application, part, differences } of APPLICATIONS) {
  const count = Math.ceil(runs(usual) * part);

  describe(`types of every kind on Node and in Rust: ${application}`, { timeout: 30 * 60_000 }, () => {
    /** Project whose database the Rust server uses. */
    let project: Project;
    let contracts: Contracts;
    before(async () => {
      contracts = await builtEcho(application);
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
        const servers = await Servers.echo(project, application, mode);
        try {
          const start = first + (mode === "development" ? count : 0);
          const result = await compare(
            servers.lanes,
            afterKnown(start, (index) => requestOf(material, seed, index)),
            { seed, first: start, count: Math.ceil(count * share) },
          );
          for (const name of result.needed.keys()) needed.add(name);
          print(`${application}, ${mode}`, result);
          assert.ok(result.differences.length === 0, `\n${result.differences.join("\n\n")}`);
          assertAccepted(routes, result);
        } finally {
          await servers.stop();
        }
      });
    }

    test("show every difference in the list of intended differences", (context) => {
      if (count < usual) return context.skip("few requests find few of them");
      insistOnNeeded(differences, needed);
    });
  });
}
