// Installs the packages of `package.json` in `target/registry`: `node tests/registry/install.ts`. Scripts of packages do not run.

import { spawnSync } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { tools } from "./support/registry.ts";

await mkdir(tools, { recursive: true });
await copyFile(join(import.meta.dirname, "package.json"), join(tools, "package.json"));
const { status } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
  cwd: tools,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
