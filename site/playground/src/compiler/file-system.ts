import { Directory, File, type Inode } from "@bjorn3/browser_wasi_shim";

import type { Files, GeneratedFile } from "./messages.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns a directory in memory with these files. */
export function directoryOf(files: Files): Map<string, Inode> {
  const root = new Map<string, Inode>();
  for (const [path, text] of files) {
    const names = path.split("/");
    const name = names.pop()!;
    let at = root;
    for (const parent of names) {
      let next = at.get(parent);
      if (!(next instanceof Directory)) {
        next = new Directory(new Map());
        at.set(parent, next);
      }
      at = (next as Directory).contents;
    }
    at.set(name, new File(encoder.encode(text)));
  }
  return root;
}

/**
 * Returns the files below a directory, sorted by their paths, which are relative to it. Files that begin with a dot are left out: with
 * them, kit keeps account of the directory.
 */
export function filesBelow(contents: ReadonlyMap<string, Inode>, path: string): GeneratedFile[] {
  let at = contents;
  for (const name of path.split("/")) {
    const next = at.get(name);
    if (!(next instanceof Directory)) return [];
    at = next.contents;
  }
  const found: GeneratedFile[] = [];
  collect(at, "", found);
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function collect(contents: ReadonlyMap<string, Inode>, prefix: string, found: GeneratedFile[]): void {
  for (const [name, node] of contents) {
    if (node instanceof Directory) collect(node.contents, `${prefix}${name}/`, found);
    else if (node instanceof File && !name.startsWith("."))
      found.push({ path: prefix + name, text: decoder.decode(node.data) });
  }
}
