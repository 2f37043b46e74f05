import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Binaries } from "./binaries.ts";
import { DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";
import { makePrivate } from "./home.ts";
import type { DataLocation } from "./home.ts";

/** Name of the PostgreSQL role that owns all databases. */
export const USER = "kit";

/** Prefix of the name of a data directory that is not complete yet. */
const NEW = "cluster.new.";

/** Creates PostgreSQL's data directory if it does not exist. Returns the password of {@link USER}. */
export async function prepareCluster(home: DataLocation, binaries: Binaries): Promise<string> {
  const passwordFile = join(home.directory, "password");
  if (existsSync(home.cluster)) {
    checkVersion(home, binaries);
    try {
      return readFileSync(passwordFile, "utf8").trim();
    } catch (error) {
      throw new DevDatabaseError(
        `the password of the embedded database cannot be read: ${messageOf(error)}`,
        `Restore the file, or delete ${home.directory}. This also deletes the data.`,
      );
    }
  }
  const password = randomBytes(24).toString("base64url");
  // Creates the data directory under another name and renames it at the end, so a directory `cluster` is always complete. The name
  // contains the id of this process, because an initdb of a killed keeper may still be writing to its directory.
  const making = join(home.directory, `${NEW}${process.pid}`);
  const forInitdb = join(home.directory, `password.${process.pid}`);
  try {
    removeLeftovers(home.directory);
    makePrivate(making, home.account);
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    writeFileSync(forInitdb, password, { mode: 0o600 });
    if (home.account !== undefined) chownSync(forInitdb, home.account.uid, home.account.gid);
    await initialize(home, binaries, making, forInitdb);
    renameSync(making, home.cluster);
  } catch (error) {
    if (error instanceof DevDatabaseError) throw error;
    throw new DevDatabaseError(
      `the embedded database cannot be created in ${home.directory}: ${messageOf(error)}`,
      `Set KIT_DATA_DIR to another directory. ${USE_YOUR_OWN}`,
    );
  } finally {
    rmSync(forInitdb, { force: true });
  }
  return password;
}

/** Removes incomplete data directories of keepers that were killed. If one cannot be removed, the next start tries again. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(NEW) && !/^password\.\d+$/.test(name)) continue;
    try {
      rmSync(join(directory, name), { recursive: true, force: true });
    } catch {
      // Another process is still writing to it.
    }
  }
}

function checkVersion(home: DataLocation, binaries: Binaries): void {
  const file = join(home.cluster, "PG_VERSION");
  let version: string;
  try {
    version = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new DevDatabaseError(
      `${home.cluster} is not a data directory of PostgreSQL: ${messageOf(error)}`,
      "Move this directory to another place, and try again: kit then creates a new database.",
    );
  }
  if (version === binaries.major) return;
  throw new DevDatabaseError(
    `${home.cluster} holds data of PostgreSQL ${version}, but this version of kit contains PostgreSQL ${binaries.major}`,
    "To keep the data, install the version of kit that created this directory, and dump the database. Otherwise move this directory to another place, and try again: kit then creates a new database.",
  );
}

function initialize(
  home: DataLocation,
  binaries: Binaries,
  directory: string,
  passwordFile: string,
): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      `--pgdata=${directory}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // The same sort order and letter case on every platform.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      // Nothing is lost if the machine crashes during the initialization, because there is no data yet. The
      // server itself uses fsync.
      "--no-sync",
      "--no-instructions",
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: home.directory,
      ...home.account,
      env: { ...process.env, LC_ALL: "C" },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (output += chunk));
  }
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new DevDatabaseError(`initdb does not start: ${error.message}`, USE_YOUR_OWN)),
    );
    child.once("close", (code) => {
      if (code === 0) return resolve();
      const reason = output.trim().split("\n").slice(-8).join("\n");
      const hint = /no space left|free disk space/i.test(output)
        ? "The disk is full: free some space, then try again."
        : USE_YOUR_OWN;
      reject(
        new DevDatabaseError(
          `the embedded database cannot be created in ${home.directory}:\n${reason}`,
          hint,
        ),
      );
    });
  });
}
