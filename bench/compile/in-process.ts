/** kit's builds without starting a process, as in `kit dev`. `cargo xtask bench` builds the example program that runs here. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { edit } from "./project.ts";
import { app } from "./subjects.ts";

/** Build with its scenario, its steps and its total time in milliseconds. */
export interface InProcess {
  readonly scenario: "cold" | "unchanged" | "edited" | "again" | "incremental";
  readonly total: number;
  readonly sources: number;
  readonly types: number;
  readonly routes: number;
  readonly database: number;
  readonly emit: number;
  readonly write: number;
}

/** Builds the given number of times. */
export function measure(rounds: number): readonly InProcess[] {
  const target = process.env["CARGO_TARGET_DIR"] ?? join(import.meta.dirname, "../../target");
  const program = join(target, "release/examples/measure");
  const text = execFileSync(program, [app, String(rounds), edit.file, edit.from, edit.to], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as InProcess);
}
