/** Function with which modules of contract tests declare a test. */
import type { Running } from "./running.ts";
import type { TestContext } from "./tables.ts";

/** Declares a test, which may skip itself. */
export type Each = (name: string, run: (app: Running, context: TestContext) => Promise<void>) => unknown;

/** Reason why a test is skipped whose request cannot succeed without the rows of a fixture. */
export const NO_FIXTURE = "the response is an error: add a fixture for the route";
