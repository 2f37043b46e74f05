import { createHash } from "node:crypto";
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";

import { isRoot, mayEnter, NOBODY } from "./account.ts";
import type { Account } from "./account.ts";
import { SYSTEM_DIRECTORY } from "./binaries.ts";
import { DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";

/** Location of a server's data, and the account that PostgreSQL runs as. */
export interface DataLocation {
  /** Directory that contains the data directory of PostgreSQL, and the file with the password. */
  readonly directory: string;
  /** Data directory of PostgreSQL. */
  readonly cluster: string;
  /** Account that PostgreSQL runs as. `undefined` means the account of this process. */
  readonly account: Account | undefined;
}

/**
 * Returns the location of the data, which is usually the state directory itself. The location is below `/var/lib/kit` if kit runs as
 * root and PostgreSQL's account cannot enter the project, for example below `/root`. The file `location` in the state directory then
 * contains the path.
 */
export function homeOf(state: string): DataLocation {
  if (!isRoot()) return { directory: state, cluster: join(state, "cluster"), account: undefined };
  const pointer = join(state, "location");
  const inPlace = join(state, "cluster");
  let directory = state;
  if (existsSync(pointer)) directory = follow(state, pointer);
  else if (!existsSync(inPlace) && !mayEnter(state, NOBODY)) directory = relocate(state, pointer);
  const cluster = join(directory, "cluster");
  return { directory, cluster, account: accountOf(cluster) };
}

/**
 * Returns the account that PostgreSQL runs as if kit runs as root: the owner of the data if the data exists,
 * because no other account could open it.
 */
function accountOf(cluster: string): Account {
  if (!existsSync(cluster)) return NOBODY;
  const { uid, gid } = statSync(cluster);
  if (uid !== 0) return { uid, gid };
  // Root has copied or restored the data, so it belongs to root.
  changeOwner(cluster, NOBODY);
  return NOBODY;
}

/**
 * Returns the directory that the file `location` names. A copy of a project gets a directory of its own, because the copied file names
 * that of the original. A project that was moved keeps its directory.
 */
function follow(state: string, pointer: string): string {
  const directory = readFileSync(pointer, "utf8").trim();
  if (!existsSync(directory) || isOfAnother(directory, state)) return relocate(state, pointer);
  const owner = join(directory, "owner");
  if (textOf(owner) !== state) writeFileSync(owner, `${state}\n`);
  return directory;
}

/** Returns true if a directory has the data of another state directory, which exists and names this directory. */
function isOfAnother(directory: string, state: string): boolean {
  const owner = textOf(join(directory, "owner"));
  return owner !== undefined && owner !== state && textOf(join(owner, "location")) === directory;
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

function relocate(state: string, pointer: string): string {
  const parent = join(SYSTEM_DIRECTORY, "postgres");
  const named = (text: string): string =>
    join(parent, createHash("sha256").update(text).digest("hex").slice(0, 16));
  let directory = named(state);
  // The data of a project that was at this place before, and that was moved or deleted.
  for (let number = 2; existsSync(join(directory, "cluster")); number += 1) {
    directory = named(`${state}\0${number}`);
  }
  try {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    prune(parent);
    writeFileSync(join(directory, "owner"), `${state}\n`);
    writeFileSync(pointer, `${directory}\n`);
  } catch (error) {
    throw new DevDatabaseError(
      `PostgreSQL cannot run as root, and its data cannot be stored in a directory that another account can use: ${messageOf(error)}`,
      `Set KIT_DATA_DIR to a directory that all users can enter. ${USE_YOUR_OWN}`,
    );
  }
  return directory;
}

/** Removes the data of projects that were in the directory for temporary files and have been deleted. */
function prune(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = join(parent, name, "owner");
    if (!existsSync(owner)) continue;
    const state = readFileSync(owner, "utf8").trim();
    if (state.startsWith(tmpdir() + sep) && !existsSync(state)) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

/** Changes the owner of a directory and of everything in it. */
export function changeOwner(path: string, account: Account): void {
  lchownSync(path, account.uid, account.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) changeOwner(inner, account);
    else lchownSync(inner, account.uid, account.gid);
  }
}

/** Creates a directory that only the account can access. */
export function makePrivate(path: string, account: Account | undefined): void {
  mkdirSync(path, { mode: 0o700 });
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}
