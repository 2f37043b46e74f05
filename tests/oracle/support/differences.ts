// Reads the list of known differences.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { About, Finding } from "./examine.ts";

/** Known difference: an entry of `differences.json`. */
export interface Difference {
  /** Name of the fixture and the type, such as `mapped:OfArray`. */
  type: string;
  about: About;
  /** Reason for the difference: the behavior of kit, or the decision that explains it. */
  reason: string;
}

/** Path of the list of known differences. */
export const differencesFile: string = join(import.meta.dirname, "../differences.json");

/** Reads the list of known differences. */
export async function readDifferences(): Promise<readonly Difference[]> {
  return JSON.parse(await readFile(differencesFile, "utf8")) as readonly Difference[];
}

/** Returns true if an entry of the list is about this result. */
export function differs(entry: Difference, finding: Finding): boolean {
  return entry.type === finding.type && entry.about === finding.about;
}
