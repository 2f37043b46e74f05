import { callSiteOf } from "../project/call-site.ts";
import { GeneratedLocations } from "./places.ts";
import { routeTests } from "./route.ts";
import { Running } from "./running.ts";
import { type ContractTests, titleOf } from "./tables.ts";

type Hook = (run: () => Promise<void>, timeout: number) => unknown;

/**
 * Timeout of hooks in milliseconds. The default of vitest is ten seconds, and the first start of a database with its migrations can take
 * longer on a busy machine.
 */
const HOOK_TIMEOUT_MS = 120_000;

/**
 * Declares the contract tests of a group, with one test for each row of the tables. The application starts once, on a free port.
 * Generated files call this function.
 *
 * @example
 * ```ts
 * contractTests({
 *   runner: { after, before, describe, test },
 *   group: "NoteRoutes",
 *   contracts,
 *   app: () => import("../../src/app.ts"),
 *   root: new URL("file:///projects/notes/"),
 *   database: true,
 *   headers: {},
 *   routes: [{ route: "GET /notes/:id", success: 200, response: NoteShape }],
 * });
 * ```
 */
export function contractTests(tests: ContractTests): void {
  const places = new GeneratedLocations(tests.runner, callSiteOf(contractTests));
  // The hooks of node:test take no number as their second argument, and have no timeout by default.
  const begin: Hook = tests.runner.before;
  const end: Hook = tests.runner.after;
  places.group().describe(`contracts of ${tests.group}`, () => {
    let running: Running | undefined;
    begin(async () => {
      running = await Running.start(tests);
    }, HOOK_TIMEOUT_MS);
    end(async () => {
      await running?.stop();
    }, HOOK_TIMEOUT_MS);
    for (const table of tests.routes) {
      const runnerAt = places.of(table);
      runnerAt().describe(titleOf(table), () => {
        const { errors } = tests.contracts;
        const formatted = errors === undefined ? table : { ...table, errorFormat: errors };
        routeTests({ tests, table: formatted, runnerAt }, () => {
          if (running === undefined)
            throw new Error("The application did not start; see the failure of the hook `before`");
          return running;
        });
      });
    }
  });
}
