import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type CodeLocation, pathOf, syntaxPlace } from "./source-imports/syntax-place.ts";

/** Directory of kit's own code. Stack frames in this directory do not help a user. */
const OWN = fileURLToPath(new URL(".", import.meta.url));

/**
 * Returns the location in the project's code at which an error occurred. If a plugin called a function of kit, this is the location in the
 * plugin's file, and not a location in the code that called the plugin.
 *
 * @param stack - The stack of an error or of a call.
 */
export function locationOf(stack: string | undefined): CodeLocation | undefined {
  const frames = (stack ?? "").split("\n").flatMap((line) => frame(line) ?? []);
  const first = frames.findIndex((place) => !isOwn(place));
  if (first === -1) return undefined;
  const called = frames.findIndex((place, index) => index > first && isOwn(place));
  const foreign = frames.slice(first, called === -1 ? undefined : called);
  const tap = called === -1 ? undefined : foreign.at(-1);
  return foreign.find(({ path }) => path === tap?.path) ?? foreign[0];
}

function isOwn({ path }: CodeLocation): boolean {
  return path.startsWith(OWN);
}

/** Returns the location in the project's code that called kit. */
export function calledFrom(): CodeLocation | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, calledFrom);
  return locationOf(holder.stack);
}

/**
 * Returns the location of an error that importing a module has caused: of a syntax error, of the import of a missing module, or of an
 * exception.
 */
export function importPlace(error: unknown): CodeLocation | undefined {
  if (!(error instanceof Error)) return undefined;
  return syntaxPlace(error.stack ?? "") ?? specifierPlace(error.message) ?? locationOf(error.stack);
}

/** Parses a line of a stack, such as `    at name (file:///app/kit.config.js:3:7)`. The line may contain `async`, and may have no name. */
function frame(line: string): CodeLocation | undefined {
  const [, where, row, column] = /^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$/.exec(line) ?? [];
  const path = where === undefined ? undefined : pathOf(where.replace(/^async /, ""));
  return path === undefined ? undefined : { path, line: Number(row), column: Number(column) };
}

/**
 * Returns the location of the import of a missing module. The error message contains the importing file but not the line, so the file is
 * searched.
 */
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
