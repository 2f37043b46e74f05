/** Line of a stack trace. */
export interface Frame {
  readonly text: string;
  /** Path relative to the project's root; null if the line is not in a source of the project. */
  readonly file: string | null;
  readonly line: number;
}

const place = /\(?((?:file:\/\/)?[^\s()]+?):(\d+):(\d+)\)?$/;

/** Returns the lines of a stack trace. Those in sources of the project have a location; without `projectRoot`, no line has one. */
export function framesOf(stack: string, projectRoot: string | null): Frame[] {
  return stack
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .map((text) => {
      const [, written = "", number = "0"] = place.exec(text) ?? [];
      const file = projectRoot === null ? null : below(projectRoot, pathOf(written));
      return { text: file === null ? text : text.replace(written, file), file, line: Number(number) };
    });
}

function pathOf(written: string): string {
  if (!written.startsWith("file://")) return written;
  try {
    return decodeURIComponent(new URL(written).pathname);
  } catch {
    return written;
  }
}

function below(root: string, path: string): string | null {
  const base = root.endsWith("/") ? root : `${root}/`;
  if (!path.startsWith(base)) return null;
  const file = path.slice(base.length);
  return file.includes("node_modules/") ? null : file;
}

/** Parses a location: `src/notes.handlers.ts:21` gives that file and line 21. The default is line 1. */
export function readPlaceInSource(text: string): { readonly file: string; readonly line: number } {
  const [, file = text, line = "1"] = /^(.*?):(\d+)$/.exec(text) ?? [];
  return { file, line: Number(line) };
}
