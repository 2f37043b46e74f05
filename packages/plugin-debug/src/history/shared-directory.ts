import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "kit-debug-";
const ofMember = ".worker";

/** A directory that the processes of one server share. */
export interface SharedDirectory {
  readonly path: string;
  /** This process needs it no longer; the last one to say so removes it. */
  leave(): void;
}

/**
 * Makes or finds the directory, among those for temporary files, that all processes of a group share. `primary` is the process that started them.
 *
 * @throws where it cannot be made, or is not this user's alone.
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

/** What requests contained is nobody else's. */
function requireOwn(path: string): void {
  const { uid, mode } = lstatSync(path);
  const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o77) === 0);
  if (!isOwn || !lstatSync(path).isDirectory())
    throw new Error(`${path} is there already, and not this user's alone`);
}

/** Processes that have not said that they need it no longer. */
function membersOf(path: string): number[] {
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith(ofMember))
      .map((name) => Number(name.slice(0, -ofMember.length)));
  } catch {
    // Another one was the last.
    return [];
  }
}

/** Of servers that were killed, all their processes at once. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, primary] = /^kit-debug-(\d+)-[0-9a-f-]{36}$/.exec(name) ?? [];
    if (primary === undefined || isRunning(Number(primary))) continue;
    const path = join(tmpdir(), name);
    try {
      requireOwn(path);
      if (!membersOf(path).some(isRunning)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else's, or gone meanwhile.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
