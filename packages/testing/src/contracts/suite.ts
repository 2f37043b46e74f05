import type { Contracts } from "../coverage/contracts.ts";
import { callSiteOf } from "../project/call-site.ts";
import { GeneratedPlaces } from "./places.ts";
import { routeTests } from "./route.ts";
import { Running } from "./running.ts";
import type { RouteTable, TestRunner } from "./tables.ts";

/** What a generated file of contract tests says. */
export interface ContractTests {
  readonly runner: TestRunner;
  /** The contract group. */
  readonly group: string;
  /** What `kit build` made of all groups. */
  readonly contracts: Contracts;
  /** Imports the module that exports the application. */
  readonly app: () => Promise<unknown>;
  /** Imports the module whose default export are {@link Fixtures}. */
  readonly fixtures?: () => Promise<unknown>;
  /** The project's directory. */
  readonly root: URL;
  /** Whether the application has tables. */
  readonly database: boolean;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly routes: readonly RouteTable[];
}

type Hook = (run: () => Promise<void>, timeout: number) => unknown;

/** vitest gives a hook ten seconds, which a first database with its migrations may take on a busy machine. */
const HOOK_TIMEOUT_MS = 120_000;

/**
 * Declares the contract tests of a group: the application is started once, on a free port, and each row of the tables is a test.
 * Generated files call it.
 */
export function contractTests(tests: ContractTests): void {
  const places = new GeneratedPlaces(tests.runner, callSiteOf(contractTests));
  // node:test takes no second argument of that kind, and waits by itself.
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
      runnerAt().describe(table.route, () => {
        routeTests({ tests, table, runnerAt }, () => {
          if (running === undefined) throw new Error("The application was not started");
          return running;
        });
      });
    }
  });
}
