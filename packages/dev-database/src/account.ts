import { statSync } from "node:fs";
import { dirname } from "node:path";

/** User account of the operating system that PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Account `nobody`. PostgreSQL refuses to run as root, so it runs as this account if kit runs as root. */
export const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/**
 * Returns true if this process runs as root. PostgreSQL refuses to run as root, so that it must run as
 * another account.
 */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Returns true if the file modes allow an account to enter a directory and all its parents. Access control lists are not checked; if they
 * forbid the access, PostgreSQL reports it.
 */
export function mayEnter(directory: string, account: Account): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
