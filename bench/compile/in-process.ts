/** Measures kit's builds within one process, as `kit dev` runs them. `cargo xtask bench` compiles the example program that is run here. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { edit } from "./project.ts";
import { app } from "./subjects.ts";

/** Build of a scenario: the time of each step and the total time in milliseconds. */
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

/** Runs the builds of all scenarios for this number of rounds. */
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
