import { constants } from "node:fs";
import { join } from "node:path";

import type { FileSite } from "@kit/types";

import { isInside } from "./is-inside.ts";
import { OpenDescriptor } from "./open-descriptor.ts";

/** Open file, or the directory at its path. */
export type Opened = OpenFile | "directory" | null;

/** Regular file that is open for reading. */
export interface OpenFile {
  readonly file: OpenDescriptor;
  readonly size: number;
  /** Time of the last change, in nanoseconds since 1970. */
  readonly modified: bigint;
}

/** Codes of errors that mean that there is no file: missing, below a file, a name that is too long, or a socket. */
const missing: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ENXIO"]);

/** Opening does not wait for the other end of a pipe. Windows does not have this flag. */
const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Opens the file of a site. Returns `null` if there is no regular file, or if a symbolic link leads out of the directory.
 *
 * @throws Errors of the file system that do not mean that the file is missing, such as `EACCES`.
 */
export async function openFile(
  site: Pick<FileSite, "root" | "followSymlinks">,
  names: readonly string[],
): Promise<Opened> {
  const path = join(site.root, ...names);
  let file: OpenDescriptor | undefined;
  try {
    file = await OpenDescriptor.open(path, flags);
    const stats = await file.stat();
    const isServed =
      (stats.isFile() || stats.isDirectory()) &&
      (site.followSymlinks || isInside(site.root, await file.realPath(path)));
    if (isServed && stats.isFile()) {
      const opened = { file, size: Number(stats.size), modified: stats.mtimeNs };
      file = undefined;
      return opened;
    }
    return isServed ? "directory" : null;
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  } finally {
    file?.close();
  }
}
