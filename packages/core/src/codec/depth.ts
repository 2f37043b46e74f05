/**
 * How many times recursive types may be entered on the way down to a value. What is nested deeper does not fit:
 * `JSON.parse` takes 10,000 levels without complaint, a recursive function does not.
 */
export const MAX_DEPTH = 256;

/**
 * How many times recursive types may be entered within one value. Where members of a recursive union overlap, each level can
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
