import { existsSync, readFileSync } from "node:fs";

import type { Row } from "../figures.ts";

/** Results that a benchmark has written with the option `--json`. */
export interface Result {
  readonly bench: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly versions?: Readonly<Record<string, string>>;
  readonly skipped?: readonly {
    readonly subject: string;
    readonly scenario?: string;
    readonly reason: string;
  }[];
  readonly rows: readonly Row[];
}

/** Reads the results of a benchmark. Returns `undefined` if none were recorded. */
export function readResult(file: string): Result | undefined {
  if (!existsSync(file)) return undefined;
  const value = JSON.parse(readFileSync(file, "utf8")) as Partial<Result>;
  if (!Array.isArray(value.rows) || value.machine === undefined) {
    throw new Error(`${file} is not the result of a benchmark: it lacks rows or machine`);
  }
  return value as Result;
}
