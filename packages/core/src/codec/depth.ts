/**
 * Number of times that recursive types may be entered on the way down to a value, and how many arrays and objects may lie in one another within an
 * `unknown`. A value that is nested deeper does not fit: `JSON.parse` takes 10,000 levels without complaint, but a recursive function such as
 * `JSON.stringify` fails on them.
 */
export const MAX_DEPTH = 256;

/**
 * Number of times that recursive types may be entered within one value. Where members of a recursive union overlap, each level can
 * be tried once a member, which without a bound is exponential.
 */
export const MAX_ENTRIES = 1_000_000;

/** Entries since the outermost one. Checks are synchronous, so one count serves all. */
let entries = 0;

/** Whether a recursive type may be entered at that depth; the outermost entry is at 0. */
export function enter(depth: number): boolean {
  entries = depth === 0 ? 1 : entries + 1;
  return depth < MAX_DEPTH && entries <= MAX_ENTRIES;
}

/** Returns true if JSON in wire form fits `unknown`: it is there, and its arrays and objects are nested at most {@link MAX_DEPTH} levels deep. */
export function isUnknown(value: unknown): boolean {
  return value !== undefined && isWithin(value, MAX_DEPTH);
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const part of parts) {
    if (typeof part === "object" && part !== null && !isWithin(part, levels - 1)) return false;
  }
  return true;
}
