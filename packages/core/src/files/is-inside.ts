import { sep } from "node:path";

/** Returns true if `path` is the directory itself, or is inside of the directory. Both are paths without symbolic links. */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
