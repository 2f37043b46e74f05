import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

import type { CallSite } from "../project/call-site.ts";
import type { RefusedRow, RouteTable, AcceptedRow, TestRunner } from "./tables.ts";

/** Returns the runner that declares a test at the line of a row, or at the line of its route if there is no row. */
export type RunnerAt = (row?: AcceptedRow | RefusedRow) => TestRunner;

type Call = <T>(declare: (...given: never[]) => T, ...given: unknown[]) => T;

/**
 * Lines of a generated file of contract tests. Runners report the line that calls `test` as the location of a test. That line would be a
 * line of this package, the same for all tests. So the calls go through functions that have the file name of the generated file.
 */
export class GeneratedLocations {
  readonly #runner: TestRunner;
  readonly #site: CallSite | undefined;
  readonly #lines: readonly string[];

  /** Creates the locations. `site` is the call of this package in the generated file. */
  constructor(runner: TestRunner, site: CallSite | undefined) {
    this.#runner = runner;
    this.#site = site;
    this.#lines = site === undefined ? [] : linesOf(site.file);
  }

  /** Returns the runner for the group of all routes. */
  group(): TestRunner {
    return this.#site === undefined ? this.#runner : this.#runnerAt(this.#site, this.#site.line - 1);
  }

  /** Returns the runners of a route. */
  of({ route }: Pick<RouteTable, "route">): RunnerAt {
    const site = this.#site;
    const start = this.#lines.findIndex((line) => line.trim() === `route: ${JSON.stringify(route)},`);
    if (site === undefined || start === -1) return () => this.#runner;
    const rest = this.#lines.slice(start + 1);
    const end = rest.findIndex((line) => line.trim().startsWith(`route: "`));
    const rows = end === -1 ? rest : rest.slice(0, end);
    return (row) => {
      const beginning = row === undefined ? undefined : `[${row.slice(0, 3).map(quoted).join(", ")},`;
      const at = rows.findIndex((line) => beginning !== undefined && line.trim().startsWith(beginning));
      return this.#runnerAt(site, at === -1 ? start : start + 1 + at);
    };
  }

  /**
   * Returns the runner that declares tests at a line, counted from 0. The line is a line of the source, so vitest must not map it again.
   * vitest normalizes paths before it compares them, but maps lines only if a path is equal to the path of the transformed file. So the
   * path gets a `./`.
   */
  #runnerAt({ file }: CallSite, line: number): TestRunner {
    const { describe, test, before, after } = this.#runner;
    const script = new Script("(declare, ...given) => declare(...given)", {
      filename: process.env["VITEST"] === undefined ? file : `${dirname(file)}/./${basename(file)}`,
      lineOffset: line,
    });
    const call = script.runInThisContext() as Call;
    return {
      before,
      after,
      describe: (...given) => call(describe, ...given),
      test: (...given) => call(test, ...given),
    };
  }
}

function quoted(text: unknown): string {
  return JSON.stringify(text);
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // A bundled file may not exist on disk. Then tests are reported at the line that calls the runner.
    return [];
  }
}
