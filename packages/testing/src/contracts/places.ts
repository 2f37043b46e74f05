import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

import type { CallSite } from "../project/call-site.ts";
import type { RefusedRow, RouteTable, TakenRow, TestRunner } from "./tables.ts";

/** Returns the runner that declares a test at the line of a row, or of its route. */
export type RunnerAt = (row?: TakenRow | RefusedRow) => TestRunner;

type Call = <T>(declare: (...given: never[]) => T, ...given: unknown[]) => T;

/**
 * Lines of a generated file of contract tests. Runners take the line that calls them for the place of a test. That line would be one of this
 * package, the same for all tests, so functions with the name of the generated file stand in between.
 */
export class GeneratedPlaces {
  readonly #runner: TestRunner;
  readonly #site: CallSite | undefined;
  readonly #lines: readonly string[];

  /** `site` is where the generated file calls this package. */
  constructor(runner: TestRunner, site: CallSite | undefined) {
    this.#runner = runner;
    this.#site = site;
    this.#lines = site === undefined ? [] : linesOf(site.file);
  }

  /** The runner of all routes. */
  group(): TestRunner {
    return this.#site === undefined ? this.#runner : this.#runnerAt(this.#site, this.#site.line - 1);
  }

  /** The runners of a route. */
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
   * The runner at a line, which counts from 0. vitest compares normal paths, but maps lines of exactly the paths that it has transformed:
   * the line is one of the source, so it must not be mapped.
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
    // Bundled, say: then tests stand where they are called.
    return [];
  }
}
