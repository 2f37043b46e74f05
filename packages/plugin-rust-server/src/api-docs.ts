import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** File of the API reference in the output directory. */
export interface ReferenceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files of the API reference, which the Rust server contains: the viewer, compressed with gzip and written as base64,
 * because files of a build are texts, and the script that starts the viewer. Returns an empty list if the package `@kit/api-docs`
 * is not installed in the project.
 */
export function referenceFiles(root: string): readonly ReferenceFile[] {
  const viewer = viewerDirectory(root);
  if (viewer === undefined) return [];
  const script = join(viewer, "standalone.js.gz");
  // The repository of kit has this file only after `cargo xtask viewer`.
  if (!existsSync(script)) return [];
  return [
    { path: "docs/viewer.js.gz.base64", text: readFileSync(script).toString("base64") },
    { path: "docs/start.js", text: readFileSync(join(viewer, "start.js"), "utf8") },
  ];
}

function viewerDirectory(root: string): string | undefined {
  try {
    const entry = createRequire(join(root, "package.json")).resolve("@kit/api-docs");
    return join(dirname(entry), "../viewer");
  } catch {
    return undefined;
  }
}
