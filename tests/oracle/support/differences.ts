// The committed list of what differs.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { About, Finding } from "./examine.ts";

/** An entry of `differences.json`. */
export interface Difference {
  /** The fixture and the type, as in `mapped:OfArray`. */
  type: string;
  about: About;
  /** Why it differs: what kit does instead, or what it decided. */
  reason: string;
}

/** Where the list is. */
export const differencesFile: string = join(import.meta.dirname, "../differences.json");

/** The list. */
export async function readDifferences(): Promise<readonly Difference[]> {
  return JSON.parse(await readFile(differencesFile, "utf8")) as readonly Difference[];
}

/** Whether an entry is about a finding. */
export function differs(entry: Difference, finding: Finding): boolean {
  return entry.type === finding.type && entry.about === finding.about;
}
