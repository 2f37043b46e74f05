/** URLs of the modules that each module imports, by the URL of the importing module. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Use of a variable before its module has run, because the module with the variable waits for the module that uses the variable: the two
 * modules import each other.
 */
export interface CircularUse {
  /** Name of the variable. */
  readonly name: string;
  /** URL of the module that uses the variable. */
  readonly module: string;
  /** Line number of the use, from 1. The column counts from 1 too. */
  readonly line: number;
  readonly column: number;
  /** URLs of the modules of the import cycle in order, from {@link module} back to it. */
  readonly cycle: readonly string[];
}

const scheme = "file://";
const early = /^Cannot access '([^']+)' before initialization$/;

/** Returns the circular import that caused an error, or `undefined` for any other error. */
export function circularUse(error: unknown, imports: Imports): CircularUse | undefined {
  if (!(error instanceof ReferenceError)) return undefined;
  const [, name] = early.exec(error.message) ?? [];
  const place = placeOf(error);
  if (name === undefined || place === undefined) return undefined;
  const cycle = cycleOf(place.module, imports);
  return cycle && { name, ...place, cycle };
}

/** Returns the location in the stack of an error: `    at load (file:///app/src/a.ts:3:15)` or `    at file:///app/src/a.ts:3:15`. */
function placeOf({ stack = "" }: Error): Pick<CircularUse, "module" | "line" | "column"> | undefined {
  const frame = stack.split("\n").find((text) => text.startsWith("    at ") && text.includes(scheme));
  if (frame === undefined) return undefined;
  const end = frame.endsWith(")") ? -1 : frame.length;
  const parts = frame.slice(frame.indexOf(scheme), end).split(":");
  const [column, line] = [Number(parts.pop()), Number(parts.pop())];
  return Number.isInteger(line) && Number.isInteger(column)
    ? { module: parts.join(":"), line, column }
    : undefined;
}

/** Returns the shortest import path from a module back to itself. */
function cycleOf(start: string, imports: Imports): string[] | undefined {
  const before = new Map<string, string>();
  const open = [start];
  for (const module of open) {
    for (const next of imports.get(module) ?? []) {
      if (next === start) return way(module, start, before);
      if (before.has(next)) continue;
      before.set(next, module);
      open.push(next);
    }
  }
  return undefined;
}

function way(last: string, start: string, before: ReadonlyMap<string, string>): string[] {
  const modules = [start];
  for (
    let module: string | undefined = last;
    module !== undefined && module !== start;
    module = before.get(module)
  )
    modules.unshift(module);
  return [start, ...modules];
}
