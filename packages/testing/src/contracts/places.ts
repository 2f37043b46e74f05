import { existsSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

import type { CallSite } from "../project/call-site.ts";
import type { RefusedRow, RouteTable, AcceptedRow, TestRunner } from "./tables.ts";

/**
 * Function that returns a test runner. The runner reports the line of the given row as the location of a test, or the line of the
 * route if there is no row.
 */
export type RunnerAt = (row?: AcceptedRow | RefusedRow) => TestRunner;

type Call = <T>(declare: (...given: never[]) => T, ...given: unknown[]) => T;

/**
 * Lines of the generated tables of contract tests, which are in a file of their own or in the test file. A test runner reports the line that calls `test` as the
 * location of a test, which would be the same line of this package for all tests. Therefore each call of
 * `test` goes through a function that is compiled with the file name and the line of the generated file.
 */
export class GeneratedLocations {
  readonly #runner: TestRunner;
  readonly #site: CallSite | undefined;
  /** File with the tables. */
  readonly #file: string | undefined;
  readonly #lines: readonly string[];

  /** Creates the locations for one generated file. `site` is the line of that file that calls `contractTests`. */
  constructor(runner: TestRunner, site: CallSite | undefined) {
    this.#runner = runner;
    this.#site = site;
    const tables = site?.file.replace(/(?:\.test)?\.[jt]s$/, ".js");
    this.#file = tables !== undefined && existsSync(tables) ? tables : site?.file;
    this.#lines = this.#file === undefined ? [] : linesOf(this.#file);
  }

  /** Returns the runner for the group that contains all routes. */
  group(): TestRunner {
    return this.#site === undefined ? this.#runner : this.#runnerAt(this.#site.file, this.#site.line - 1);
  }

  /** Returns the runners for the rows of a route. */
  of({ route, choice }: Pick<RouteTable, "route" | "choice">): RunnerAt {
    const [site, file] = [this.#site, this.#file];
    const start = this.#lines.findIndex(
      (line, index) =>
        line.trim() === `route: ${JSON.stringify(route)},` &&
        (choice === undefined ||
          this.#lines[index + 1]?.trim().startsWith(`choice: { type: ${JSON.stringify(choice.type)},`) ===
            true),
    );
    if (site === undefined || file === undefined || start === -1) return () => this.#runner;
    // vitest knows only the lines of the test file.
    if (process.env["VITEST"] !== undefined && file !== site.file) return () => this.group();
    const rest = this.#lines.slice(start + 1);
    const end = rest.findIndex((line) => line.trim().startsWith(`route: "`));
    const rows = end === -1 ? rest : rest.slice(0, end);
    return (row) => {
      const beginning = row === undefined ? undefined : `[${row.slice(0, 3).map(quoted).join(", ")},`;
      const at = rows.findIndex((line) => beginning !== undefined && line.trim().startsWith(beginning));
      return this.#runnerAt(file, at === -1 ? start : start + 1 + at);
    };
  }

  /**
   * Returns a runner whose tests have a line of a generated file as their location. The first line has the
   * number 0.
   *
   * vitest translates a line of a transformed file to the line of its source, but `line` already is a line of
   * the source. vitest recognizes a transformed file by its exact path, so the path begins with `./`, which
   * vitest removes later.
   */
  #runnerAt(file: string, line: number): TestRunner {
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
    // The file does not exist on disk, for example after bundling. Tests are then reported at the line that calls the runner.
    return [];
  }
}
