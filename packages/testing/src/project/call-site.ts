import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { ProjectTypes, TypeEntry } from "./known-types.ts";

/** Location in a source file. */
export interface CallSite {
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Column number, from 1. */
  readonly column: number;
}

/**
 * Returns the source location that called a function of this package: the nearest stack frame above `callee` that has a file.
 *
 * @param callee - The function that was called. Frames up to its own frame are not searched.
 */
export function callSiteOf(callee: (...parameters: never[]) => unknown): CallSite | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 10;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, callee);
  Error.stackTraceLimit = limit;
  for (const line of (holder.stack ?? "").split("\n")) {
    const [, place, row, column] =
      /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$/.exec(line) ?? [];
    if (place === undefined) continue;
    const file = place.startsWith("file://") ? fileURLToPath(place) : place;
    return { file, line: Number(row), column: Number(column) };
  }
  return undefined;
}

/**
 * Reads the type argument of a call from its source: `Note` for `createFactory<Note>()`. Types do not exist at run time. The location of a
 * call is correct, because Node removes types without moving other code, and vitest maps its locations back.
 *
 * @throws {Error} if the call has no type argument, or if the argument is not a name.
 */
export function typeArgumentAt(site: CallSite, callee: string): string {
  const text = sourceOf(site.file);
  const found = text === undefined ? undefined : argumentIn(text, site, callee);
  if (found === undefined) {
    throw new Error(
      `kit found no type argument of ${callee} at ${site.file}:${site.line}. Write \`${callee}<Note>()\`. If the tests run as compiled JavaScript, also name the type in the options: \`${callee}<Note>({ type: "Note" })\``,
    );
  }
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?$/.test(found)) return found;
  throw new Error(
    `The type argument of ${callee}<${found}> at ${site.file}:${site.line} is not the name of a type. Export a named type from a type file, \`export type Draft = ${found}\`, and write ${callee}<Draft>()`,
  );
}

function sourceOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns the type argument of the call of `callee` that is nearest to the given line and column. */
function argumentIn(text: string, { line, column }: CallSite, callee: string): string | undefined {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const end = start + (lines[line - 1] ?? "").length;
  const calls = [...text.matchAll(new RegExp(`\\b${callee}\\s*<`, "g"))].filter(
    ({ index }) => index >= start && index <= end,
  );
  const at = start + column - 1;
  const [nearest] = calls.toSorted((a, b) => Math.abs(a.index - at) - Math.abs(b.index - at));
  if (nearest === undefined) return undefined;
  return balanced(text, nearest.index + nearest[0].length);
}

/** Returns the text from an index up to the `>` that closes the type argument. */
function balanced(text: string, from: number): string | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "<") depth += 1;
    else if (character === ">" && text.charAt(at - 1) !== "=") depth -= 1;
    if (depth === 0) return text.slice(from, at).replaceAll(/\s+/g, " ").trim();
  }
  return undefined;
}

/**
 * Returns the type of the project that a name in a source file refers to, possibly through an import.
 *
 * @throws {Error} if kit does not know the type, or if several types have the name.
 */
export function typeNamed(types: ProjectTypes, argument: string, site: CallSite): TypeEntry {
  const text = sourceOf(site.file) ?? "";
  const where = `${site.file}:${site.line}`;
  const [outer = "", member] = argument.split(".");
  if (
    new RegExp(
      `^\\s*(?:export\\s+)?(?:declare\\s+)?(?:type|interface|class|enum)\\s+${escaped(outer)}\\b`,
      "m",
    ).test(text)
  ) {
    throw new Error(
      `\`${argument}\` at ${where} is declared in the test itself, which \`kit build\` does not read. Export the type from a file that matches \`typeFiles\` in kit.config.ts, and import it`,
    );
  }
  const imported = importOf(text, outer, member !== undefined);
  const name = member ?? imported?.name ?? outer;
  const meant = [...types.entries.values()].filter(
    (entry) => entry.origin === "named" && (entry.export ?? entry.name) === name,
  );
  if (meant.length > 1 && imported?.from.startsWith(".") === true) {
    const path = resolve(dirname(site.file), imported.from);
    const same = meant.filter((entry) => resolve(types.root, entry.file) === path);
    if (same.length === 1) return same[0] as TypeEntry;
  }
  const [only] = meant;
  if (only === undefined) return types.entry(name);
  if (meant.length === 1) return only;
  const all = meant.map((entry) => `${entry.name} of ${entry.file}`).join(", ");
  throw new Error(
    `The name \`${name}\` at ${where} fits several types: ${all}. Select a type with the option \`{ type: "${meant[1]?.name}" }\``,
  );
}

/** Returns the exported name and the module of the import that has the given local name. */
function importOf(
  text: string,
  local: string,
  namespace: boolean,
): { readonly name: string; readonly from: string } | undefined {
  const name = escaped(local);
  if (namespace) {
    const [, from] =
      new RegExp(`import\\s+(?:type\\s+)?\\*\\s+as\\s+${name}\\s+from\\s*["']([^"']+)["']`).exec(text) ?? [];
    return from === undefined ? undefined : { name: local, from };
  }
  const one = new RegExp(`(?:^|,)\\s*(?:type\\s+)?(?:([\\w$]+)\\s+as\\s+)?${name}\\s*(?:,|$)`);
  const imports = text.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g);
  for (const [, names = "", from = ""] of imports) {
    const found = one.exec(names);
    if (found !== null) return { name: found[1] ?? local, from };
  }
  return undefined;
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}
