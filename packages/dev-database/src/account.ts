import { statSync } from "node:fs";
import { dirname } from "node:path";

/** Whom PostgreSQL runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account that owns nothing, for PostgreSQL of root: it refuses to run as root itself. */
export const NOBODY: Account = { uid: 65_534, gid: 65_534 };

/** Whether this process is root, so that PostgreSQL needs another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Whether an account may enter a directory and all above it, by their modes. Access lists are not looked at: where they
 * say otherwise, PostgreSQL's own message does too.
 */
export function mayEnter(directory: string, account: Account): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
