import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { codeOf } from "./errors.ts";

/** What `postmaster.pid` says. */
export interface Postmaster {
  readonly pid: number;
  /** 0 as long as the file does not say it. */
  readonly port: number;
  /** Whether it takes connections, or did when it last said something. */
  readonly ready: boolean;
}

/** Reads `postmaster.pid` of a data directory; nothing where there is none, or one that is just being written. */
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

/** Whether a process of that number exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * Whether a process is the PostgreSQL of a data directory. After a crash of the machine, the number in `postmaster.pid`
 * may be anyone's.
 */
export function isServerOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    if (process.platform === "linux") {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      // A dead process that its parent has not asked about yet has no command line.
      return words.includes(cluster);
    }
    if (process.platform === "win32") return true;
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).includes(cluster);
  } catch {
    return false;
  }
}
