import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "kit-debug-";
const ofMember = ".worker";

/** Directory that the processes of one server share. */
export interface SharedDirectory {
  readonly path: string;
  /** Ends the use of the directory by this process. The last process removes the directory. */
  leave(): void;
}

/**
 * Opens the temporary directory that all processes of a group share, or creates it. `primary` is the id of the process that started them.
 *
 * @throws {Error} if the directory cannot be created, or if other users can access it.
 */
export function joinDirectory(group: string, primary: number): SharedDirectory {
  removeLeftovers();
  const path = join(tmpdir(), `${prefix}${primary}-${group}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  requireOwn(path);
  const own = join(path, `${process.pid}${ofMember}`);
  writeFileSync(own, "", { mode: 0o600 });
  return {
    path,
    leave: () => {
      rmSync(own, { force: true });
      if (!membersOf(path).some(isRunning)) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Throws an error if other users can access the directory, because requests contain private data. */
function requireOwn(path: string): void {
  const { uid, mode } = lstatSync(path);
  const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o77) === 0);
  if (!isOwn || !lstatSync(path).isDirectory())
    throw new Error(`${path} already exists, but other users have access to it`);
}

/** Returns the ids of the processes that still use the directory. */
function membersOf(path: string): number[] {
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith(ofMember))
      .map((name) => Number(name.slice(0, -ofMember.length)));
  } catch {
    // Another process was the last one and has removed the directory.
    return [];
  }
}

/**
 * Removes the directories of servers whose processes were killed, so that they could not remove the directories
 * themselves.
 */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, primary] = /^kit-debug-(\d+)-[0-9a-f-]{36}$/.exec(name) ?? [];
    if (primary === undefined || isRunning(Number(primary))) continue;
    const path = join(tmpdir(), name);
    try {
      requireOwn(path);
      if (!membersOf(path).some(isRunning)) rmSync(path, { recursive: true, force: true });
    } catch {
      // The directory belongs to another user, or another process has removed it.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // `EPERM` means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
