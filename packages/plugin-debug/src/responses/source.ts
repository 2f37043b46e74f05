import { readFile, realpath, stat } from "node:fs/promises";
import { extname, relative, resolve, sep } from "node:path";

import type { SidecarState } from "./sidecar-state.ts";
import { ErrorResponse, truncate } from "./error-response.ts";
import type { Query } from "./query.ts";
import type { SourceLines } from "./shapes.ts";

/** File name extensions of source code and SQL. Other files, such as `.env`, may contain secrets and are not shown. */
const endings: ReadonlySet<string> = new Set([
  ".ts",
  ".mts",
  ".cts",
  ".tsx",
  ".js",
  ".mjs",
  ".cjs",
  ".jsx",
  ".sql",
]);
const greatestFile = 2 * 1024 * 1024;
const defaultAround = 8;
const mostAround = 200;

/** Returns lines of a source file of the project. Refuses the request in production. */
export async function sourceOf(state: SidecarState, query: Query): Promise<SourceLines> {
  if (state.isProduction) {
    throw new ErrorResponse(403, "DEVELOPMENT_ONLY", "source text is shown in development only");
  }
  const requestedFile = query.text("file");
  if (requestedFile === undefined || requestedFile === "" || requestedFile.includes("\0")) {
    throw new ErrorResponse(400, "VALIDATION_ERROR", "`file` must be a path below the project's root");
  }
  const line = query.whole("line", 1, 999_999_999) ?? 1;
  const around = query.whole("around", 0, mostAround) ?? defaultAround;
  const { file, text } = await read(state.host.projectRoot, requestedFile);
  const lines = text.split(/\r?\n/);
  // The newline at the end of a file does not start another line.
  if (lines.at(-1) === "") lines.pop();
  const from = Math.max(1, Math.min(line, lines.length) - around);
  return { file, from, lines: lines.slice(from - 1, line + around), count: lines.length };
}

async function read(projectRoot: string, requestedFile: string): Promise<{ file: string; text: string }> {
  const nothing = new ErrorResponse(
    404,
    "NOT_FOUND",
    `there is no source file ${truncate(requestedFile)} below the project's root; packages and hidden files are not shown`,
  );
  let root: string;
  let path: string;
  try {
    root = await realpath(projectRoot);
    // Resolves symbolic links, so that a link to a file outside of the project is refused.
    path = await realpath(resolve(root, requestedFile));
  } catch {
    throw nothing;
  }
  const file = relative(root, path).split(sep).join("/");
  const names = file.split("/");
  const isHidden = names.some((name) => name === "node_modules" || (name.startsWith(".") && name !== ".kit"));
  if (file === "" || isHidden || !endings.has(extname(path).toLowerCase())) throw nothing;
  try {
    const { size } = await stat(path);
    if (size > greatestFile) throw nothing;
    return { file, text: await readFile(path, "utf8") };
  } catch {
    throw nothing;
  }
}
