// Runs generated contract tests without a test runner, so that tests can check which of them fail.

import { pathToFileURL } from "node:url";

import { type Contracts, contractTests, type ContractTests, type RouteTable } from "@kit/testing";

/** Names of the tests that passed, and errors of those that failed. */
export interface Ran {
  readonly passed: string[];
  readonly failed: Map<string, string>;
  /** Reasons of tests that were skipped. */
  readonly skipped: Map<string, string | undefined>;
}

/** Generated contract tests of a group. */
export interface GeneratedTests {
  readonly group: string;
  readonly contracts: Contracts;
  /** Output directory of the build. */
  readonly directory: string;
  readonly routes: readonly RouteTable[];
}

/** Runs the contract tests against an application, with `runs` random requests of each kind. */
export async function runRandomRequests(app: unknown, runs: number, tests: GeneratedTests): Promise<Ran> {
  Object.assign(process.env, { KIT_TEST_RUNS: String(runs), KIT_TEST_SEED: "20261127" });
  try {
    return await runContractTests(app, tests);
  } finally {
    delete process.env["KIT_TEST_RUNS"];
    delete process.env["KIT_TEST_SEED"];
  }
}

/** Runs the contract tests against an application. */
export async function runContractTests(
  app: unknown,
  { group, contracts, directory, routes }: GeneratedTests,
): Promise<Ran> {
  const begins: (() => Promise<void>)[] = [];
  const ends: (() => Promise<void>)[] = [];
  const tests: [name: string, run: Parameters<ContractTests["runner"]["test"]>[1]][] = [];
  let title = "";
  contractTests({
    runner: {
      describe(name, define) {
        title = name;
        define();
      },
      test: (name, run) => tests.push([`${title}: ${name}`, run]),
      before: (run) => begins.push(run),
      after: (run) => ends.push(run),
    },
    group,
    contracts,
    app: async () => ({ app }),
    root: pathToFileURL(`${directory}/`),
    database: false,
    headers: {},
    routes,
  });
  const passed: string[] = [];
  const failed = new Map<string, string>();
  const skipped = new Map<string, string | undefined>();
  for (const begin of begins) await begin();
  for (const [name, run] of tests) {
    try {
      await run({ skip: (reason) => void skipped.set(name, reason) });
      if (!skipped.has(name)) passed.push(name);
    } catch (error) {
      failed.set(name, String(error));
    }
  }
  for (const end of ends) await end();
  return { passed, failed, skipped };
}
