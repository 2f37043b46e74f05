/** Which module imports which, by URL. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** A use of a variable of a module that has not run yet, since it waits for the module that uses it. */
export interface CircularUse {
  /** The variable. */
  readonly name: string;
  /** URL of the module that uses it. */
  readonly module: string;
  /** Line and column from 1. */
  readonly line: number;
  readonly column: number;
  /** URLs of modules that import each other in this order, from {@link module} back to it. */
  readonly cycle: readonly string[];
}

const scheme = "file://";
const early = /^Cannot access '([^']+)' before initialization$/;

/** Reads an error that a circular import has caused; gives nothing for any other error. */
export function circularUse(error: unknown, imports: Imports): CircularUse | undefined {
  if (!(error instanceof ReferenceError)) return undefined;
  const [, name] = early.exec(error.message) ?? [];
  const place = placeOf(error);
  if (name === undefined || place === undefined) return undefined;
  const cycle = cycleOf(place.module, imports);
  return cycle && { name, ...place, cycle };
}

/** Where an error was thrown: `    at load (file:///app/src/a.ts:3:15)` or `    at file:///app/src/a.ts:3:15` in its stack. */
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

/** The shortest way from a module back to it. */
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
