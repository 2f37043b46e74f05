import { sep } from "node:path";

import type { FileSite } from "@kit/types";

/** Path of a request below the prefix of a site. */
export interface PathInSite {
  /** Decoded names of the directories and of the file. Empty for the directory of the site itself. */
  readonly names: readonly string[];
  /** True if the path ends with a slash, so that it names a directory. */
  readonly isDirectory: boolean;
}

/** Matches characters that no name may contain: separators, and control characters, with NUL. */
// oxlint-disable-next-line no-control-regex -- clients send these characters
const refused = /[/\\\x00-\x1f\x7f]/;

/**
 * Matches names that Windows does not take for the name of a file: `C:a` is a file of another directory, `a:b` a part of the file
 * `a`, and `ENV~1` can be a short name of `.env`. No file has a name with one of the other characters.
 */
export const meaningOnWindows: RegExp = /[:"<>|?*]|~[0-9]/;

/**
 * Returns the names in the path of a request, or `null` if the path is not below the prefix or contains a name that is
 * never served. `path` has the normal form. `hadSlash` is true if the client sent a slash at the end that `path` does not
 * have. `crates/kit-static/src/path.rs` does the same.
 */
export function pathInSite(site: FileSite, path: string, hadSlash: boolean): PathInSite | null {
  if (path !== site.prefix && !path.startsWith(`${site.prefix}/`)) return null;
  const rest = path.slice(site.prefix.length);
  const isDirectory = hadSlash || rest.endsWith("/");
  const inner = rest.endsWith("/") ? rest.slice(1, -1) : rest.slice(1);
  if (inner === "") return rest === "" || rest === "/" ? { names: [], isDirectory } : null;
  const names: string[] = [];
  for (const segment of inner.split("/")) {
    const name = decode(segment);
    if (name === null || isRefused(name) || isHidden(site, name, names.length)) return null;
    names.push(name);
  }
  return { names, isDirectory };
}

/**
 * Returns the names in the path of a file that a handler sends, or `null` if the path contains a name that is never served.
 * Unlike the path of a request, the path is decoded. `crates/kit-static/src/path.rs` has the same rules.
 */
export function namesInDirectory(path: string): readonly string[] | null {
  const names = path.split("/");
  return names.every((name) => name !== "" && !name.startsWith(".") && !isRefused(name)) ? names : null;
}

function isRefused(name: string): boolean {
  return refused.test(name) || (sep === "\\" && meaningOnWindows.test(name));
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Returns true for an empty name, for `.` and `..`, and for names with a dot that the site does not serve. */
function isHidden(site: FileSite, name: string, depth: number): boolean {
  if (name === "" || name === "." || name === "..") return true;
  return name.startsWith(".") && !site.dotFiles && !(depth === 0 && name === ".well-known");
}
