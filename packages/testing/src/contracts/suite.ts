import type { CompiledApplication } from "@kit/types";

import { routeTests } from "./route.ts";
import { Running } from "./running.ts";
import type { RouteTable, TestRunner } from "./tables.ts";

/** What a generated file of contract tests says. */
export interface ContractTests {
  readonly runner: TestRunner;
  /** The contract group. */
  readonly group: string;
  /** What `kit build` made. */
  readonly application: CompiledApplication;
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

/**
 * Declares the contract tests of a group: the application is started once, on a free port, and each row of the tables is a test.
 * Generated files call it.
 */
export function contractTests(tests: ContractTests): void {
  const { describe, before, after } = tests.runner;
  describe(`contracts of ${tests.group}`, () => {
    let running: Running | undefined;
    before(async () => {
      running = await Running.start(tests);
    });
    after(async () => {
      await running?.stop();
    });
    for (const table of tests.routes) {
      describe(table.route, () => {
        routeTests(tests, table, () => {
          if (running === undefined) throw new Error("The application was not started");
          return running;
        });
      });
    }
  });
}
