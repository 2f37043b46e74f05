// Installs the programs of `requirements.txt` in `target/deploy-tools`: `node tests/deploy/install.ts`. Needs Python 3.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { tools } from "./tools.ts";

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

run("python3", ["-m", "venv", tools]);
run(join(tools, "bin/pip"), [
  "install",
  "--quiet",
  "--requirement",
  join(import.meta.dirname, "requirements.txt"),
]);
