import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A place in a file of code. */
export interface CodePlace {
  /** Absolute. */
  readonly path: string;
  /** From 1; 0 for the file as a whole. */
  readonly line: number;
  /** From 1, in UTF-16 units; 0 for the line as a whole. */
  readonly column: number;
}

/** Code of this package, whose frames say nothing to a user. */
const OWN = fileURLToPath(new URL(".", import.meta.url));

/**
 * Where a project's own code was when something went wrong. A tap that kit called and the code that it called are told apart: the
 * place is in the file of the tap.
 *
 * @param stack - Of an error, or of a call.
 */
export function placeOf(stack: string | undefined): CodePlace | undefined {
  const frames = (stack ?? "").split("\n").flatMap((line) => frame(line) ?? []);
  const isOwn = ({ path }: CodePlace): boolean => path.startsWith(OWN);
  const first = frames.findIndex((place) => !isOwn(place));
  if (first === -1) return undefined;
  const called = frames.findIndex((place, index) => index > first && isOwn(place));
  const foreign = frames.slice(first, called === -1 ? undefined : called);
  const tap = called === -1 ? undefined : foreign.at(-1);
  return foreign.find(({ path }) => path === tap?.path) ?? foreign[0];
}

/** Where this is called from, seen from the project's code. */
export function calledFrom(): CodePlace | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, calledFrom);
  return placeOf(holder.stack);
}

/** Where an error of an import comes from: a mistake of syntax, a module that is not there, or what its code threw. */
export function importPlace(error: unknown): CodePlace | undefined {
  if (!(error instanceof Error)) return undefined;
  return syntaxPlace(error.stack ?? "") ?? specifierPlace(error.message) ?? placeOf(error.stack);
}

/** `    at name (file:///app/kit.config.js:3:7)`, with `async` and without a name too. */
function frame(line: string): CodePlace | undefined {
  const [, where, row, column] = /^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$/.exec(line) ?? [];
  const path = where === undefined ? undefined : pathOf(where.replace(/^async /, ""));
  return path === undefined ? undefined : { path, line: Number(row), column: Number(column) };
}

/** Absolute paths only: what comes from Node itself, or from `eval`, is in no file. */
function pathOf(where: string): string | undefined {
  // A configuration that is read again has a number behind it.
  if (where.startsWith("file://")) return fileURLToPath(where.replace(/\?.*$/, ""));
  return /^(?:\/|[A-Za-z]:[\\/])/.test(where) ? where : undefined;
}

/** Node shows such a mistake above the stack: the file with a line, the line, and a caret. */
function syntaxPlace(stack: string): CodePlace | undefined {
  const lines = stack.split("\n");
  const [, where, row] = /^(.+):(\d+)$/.exec(lines[0] ?? "") ?? [];
  const path = where === undefined ? undefined : pathOf(where);
  if (path === undefined) return undefined;
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  return { path, line: Number(row), column: caret === undefined ? 0 : caret.indexOf("^") + 1 };
}

/** The import of a module that is not there. Node names the file that imports it, but not the line. */
function specifierPlace(message: string): CodePlace | undefined {
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
