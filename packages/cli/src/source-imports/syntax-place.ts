import { fileURLToPath } from "node:url";

/** Location in a source file. */
export interface CodeLocation {
  /** Absolute path. */
  readonly path: string;
  /** Line number, from 1; 0 for the whole file. */
  readonly line: number;
  /** Column number in UTF-16 code units, from 1; 0 for the whole line. */
  readonly column: number;
}

/**
 * Returns the absolute path of a location in a stack. Returns `undefined` for code of Node and of `eval`, which is in no file of the
 * project.
 */
export function pathOf(where: string): string | undefined {
  // The URL of a configuration that is imported again has a query with a number.
  if (where.startsWith("file://")) {
    try {
      return fileURLToPath(where.split("?", 1)[0]!);
    } catch {
      // A program may print the URL of another machine.
      return undefined;
    }
  }
  return /^(?:\/|[A-Za-z]:[\\/])/.test(where) ? where : undefined;
}

/**
 * Returns the location of a syntax error. Node prints it above the stack: the file and line number, the line of code, and a caret below the
 * column. Returns `undefined` if the text does not begin with a location.
 */
export function syntaxPlace(stack: string): CodeLocation | undefined {
  const lines = stack.split("\n");
  const [, where, row] = /^(.+):(\d+)$/.exec(lines[0] ?? "") ?? [];
  const path = where === undefined ? undefined : pathOf(where);
  if (path === undefined) return undefined;
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  return { path, line: Number(row), column: caret === undefined ? 0 : caret.indexOf("^") + 1 };
}
