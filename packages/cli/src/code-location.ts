import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Location in a source file. */
export interface CodeLocation {
  /** Absolute path. */
  readonly path: string;
  /** Line number, from 1; 0 for the whole file. */
  readonly line: number;
  /** Column number, from 1, in UTF-16 units; 0 for the whole line. */
  readonly column: number;
}

/** Directory of this package. Its stack frames do not help a user. */
const OWN = fileURLToPath(new URL(".", import.meta.url));

/**
 * Returns the location in the project's own code at which an error occurred. If a tap called a function of kit, the location is in the file
 * of the tap, and not in the code that called kit.
 *
 * @param stack - The stack of an error or of a call.
 */
export function locationOf(stack: string | undefined): CodeLocation | undefined {
  const frames = (stack ?? "").split("\n").flatMap((line) => frame(line) ?? []);
  const isOwn = ({ path }: CodeLocation): boolean => path.startsWith(OWN);
  const first = frames.findIndex((place) => !isOwn(place));
  if (first === -1) return undefined;
  const called = frames.findIndex((place, index) => index > first && isOwn(place));
  const foreign = frames.slice(first, called === -1 ? undefined : called);
  const tap = called === -1 ? undefined : foreign.at(-1);
  return foreign.find(({ path }) => path === tap?.path) ?? foreign[0];
}

/** Returns the location in the project's code that called this function. */
export function calledFrom(): CodeLocation | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, calledFrom);
  return locationOf(holder.stack);
}

/** Returns the location of an error during an import: a syntax error, a missing module, or an exception in the module. */
export function importPlace(error: unknown): CodeLocation | undefined {
  if (!(error instanceof Error)) return undefined;
  return syntaxPlace(error.stack ?? "") ?? specifierPlace(error.message) ?? locationOf(error.stack);
}

/** Parses a line such as `    at name (file:///app/kit.config.js:3:7)`, also with `async` and without a name. */
function frame(line: string): CodeLocation | undefined {
  const [, where, row, column] = /^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$/.exec(line) ?? [];
  const path = where === undefined ? undefined : pathOf(where.replace(/^async /, ""));
  return path === undefined ? undefined : { path, line: Number(row), column: Number(column) };
}

/** Returns an absolute path, or `undefined` for code of Node itself or of `eval`, which is in no file. */
function pathOf(where: string): string | undefined {
  // A configuration that is imported again has a query with a number.
  if (where.startsWith("file://")) return fileURLToPath(where.replace(/\?.*$/, ""));
  return /^(?:\/|[A-Za-z]:[\\/])/.test(where) ? where : undefined;
}

/** Returns the location of a syntax error. Node prints it above the stack: file and line number, the line, and a caret. */
function syntaxPlace(stack: string): CodeLocation | undefined {
  const lines = stack.split("\n");
  const [, where, row] = /^(.+):(\d+)$/.exec(lines[0] ?? "") ?? [];
  const path = where === undefined ? undefined : pathOf(where);
  if (path === undefined) return undefined;
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  return { path, line: Number(row), column: caret === undefined ? 0 : caret.indexOf("^") + 1 };
}

/** Returns the location of the import of a missing module. The message contains the importing file, but not the line. */
function specifierPlace(message: string): CodeLocation | undefined {
  const [, missing, importer] = /'([^']+)' imported from (\S.*)$/m.exec(message) ?? [];
  const path = importer === undefined ? undefined : pathOf(importer);
  if (missing === undefined || path === undefined) return undefined;
  const name = missing.split(/[\\/]/).at(-1)!;
  let lines: string[];
  try {
    lines = readFileSync(path, "utf8").split("\n");
  } catch {
    return { path, line: 0, column: 0 };
  }
  const column = (line: string): number =>
    [...line.matchAll(/(["'])((?:(?!\1).)*)\1/g)].find(([, , text]) => text!.endsWith(name))?.index ?? -1;
  const index = lines.findIndex((line) => column(line) !== -1);
  return { path, line: index + 1, column: index === -1 ? 0 : column(lines[index]!) + 1 };
}
