import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { codeOf } from "./errors.ts";

/** Content of PostgreSQL's file `postmaster.pid`, which describes the running server. */
export interface Postmaster {
  readonly pid: number;
  /** Port of the server, or 0 if the file does not contain it yet. */
  readonly port: number;
  /** True if the file says that the server accepts connections. */
  readonly ready: boolean;
}

/** Reads `postmaster.pid` in a data directory. Returns `undefined` if the file does not exist or is incomplete. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  let text: string;
  try {
    text = readFileSync(join(cluster, "postmaster.pid"), "utf8");
  } catch {
    return undefined;
  }
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number.isInteger(port) ? port : 0, ready: lines[7]?.trim() === "ready" };
}

/** Returns true if a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Returns true if a process is the PostgreSQL that uses a data directory. After a crash of the machine, the id in `postmaster.pid` may
 * belong to another process.
 */
export function isServerOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === "linux") {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      // An exited process whose parent has not noticed that yet has an empty command line.
      return words.includes(cluster);
    }
    if (process.platform === "win32") return true;
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).includes(cluster);
  } catch {
    return false;
  }
}
