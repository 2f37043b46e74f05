import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { DevDatabaseError, messageOf } from "./errors.ts";

/** Returns the key of a template: a hash of the project's committed migrations, or of the given name. */
export function keyOf(root: string | undefined, name = ""): string {
  const hash = createHash("sha256").update(`1\0${name}\0`);
  const directory = root === undefined ? undefined : join(root, "migrations");
  if (directory !== undefined && existsSync(directory)) {
    for (const entry of readdirSync(directory).toSorted()) {
      const file = join(directory, entry, "migration.sql");
      if (existsSync(file)) hash.update(`${entry}\0`).update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex").slice(0, 32);
}

/** Applies a project's migrations to an empty database, by running `kit migrate:apply`. */
export async function applyMigrations(root: string, url: string): Promise<void> {
  const args = [findKit(root), "migrate:apply", "--allow-destructive", "--root", root];
  const child = spawn(process.execPath, args, {
    cwd: root,
    // A `MIGRATE_URL` of the environment or of `.env` must not select another database.
    env: {
      ...process.env,
      DATABASE_URL: url,
      MIGRATE_URL: url,
      NODE_TEST_CONTEXT: undefined,
      NODE_OPTIONS: undefined,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  }
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) => resolve(signal ?? exit));
  });
  if (code === 0) return;
  throw new DevDatabaseError(
    `the migrations of ${root} cannot be applied to a database for tests (${code}):\n${output.trim()}`,
    "Repair the migrations; `kit migrate:apply --dry-run` lists the pending migrations.",
  );
}

/** Returns the path of the project's own kit program, or of the kit program next to this package. */
function findKit(root: string): string {
  let reason: unknown;
  for (const from of [join(root, "package.json"), import.meta.url]) {
    try {
      let directory = dirname(createRequire(from).resolve("@kit/cli"));
      while (!existsSync(join(directory, "bin/kit.js")) && dirname(directory) !== directory) {
        directory = dirname(directory);
      }
      const program = join(directory, "bin/kit.js");
      if (existsSync(program)) return program;
    } catch (error) {
      reason = error;
    }
  }
  throw new DevDatabaseError(
    `the migrations cannot be applied to a database for tests: @kit/cli is not installed (${messageOf(reason)})`,
    "Install it with npm install --save-dev @kit/cli, or fill the template yourself: createTestDatabase({ template })",
  );
}
