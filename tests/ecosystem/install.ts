// Installs the packages of `package.json` in `target/ecosystem`: `node tests/ecosystem/install.ts`. Scripts of packages do not run.

import { spawnSync } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ecosystem } from "./support/installed.ts";

await mkdir(ecosystem, { recursive: true });
await copyFile(join(import.meta.dirname, "package.json"), join(ecosystem, "package.json"));
const { status } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: ecosystem,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
