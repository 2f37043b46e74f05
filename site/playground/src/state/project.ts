import type { Files } from "../compiler/messages.ts";
import manifest from "../../project.json?raw";

/** Path of the manifest, which has the options of the build. */
export const MANIFEST = "package.json";

/** Files that a project has at most. */
export const MAXIMUM_FILES = 20;

/** Characters that the files of a project have at most, together. */
export const MAXIMUM_TEXT = 200_000;

/** Manifest of a project, unless the user changes it. */
export const defaultManifest: string = manifest;

/** Returns a reason why a project cannot have a file with this path, or `undefined`. */
export function pathProblem(path: string, files: Files): string | undefined {
  if (!/^src\/[A-Za-z0-9][A-Za-z0-9._-]*\.ts$/.test(path))
    return "Name a TypeScript file in src, such as src/books.types.ts.";
  if (files.has(path)) return `There is a file ${path} already.`;
  if (files.size >= MAXIMUM_FILES) return `A project has at most ${MAXIMUM_FILES} files.`;
  return undefined;
}

/** Returns a path for a new file. */
export function newPath(files: Files): string {
  for (let number = 2; ; number += 1) {
    const path = `src/types${number}.ts`;
    if (!files.has(path)) return path;
  }
}

/** Returns the files in the order of the tabs: the manifest is the last file. */
export function ordered(files: Iterable<readonly [string, string]>): Files {
  const all = new Map(files);
  const text = all.get(MANIFEST) ?? defaultManifest;
  all.delete(MANIFEST);
  return new Map([...all, [MANIFEST, text]]);
}
