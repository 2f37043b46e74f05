// The committed list of differences.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { About, Finding } from "./examine.ts";

/** Entry of `differences.json`. */
export interface Difference {
  /** Fixture and type, such as `mapped:OfArray`. */
  type: string;
  about: About;
  /** Reason for the difference: what kit does instead, or its decision. */
  reason: string;
}

/** Path of the list. */
export const differencesFile: string = join(import.meta.dirname, "../differences.json");

/** Reads the list. */
export async function readDifferences(): Promise<readonly Difference[]> {
  return JSON.parse(await readFile(differencesFile, "utf8")) as readonly Difference[];
}

/** Returns true if an entry refers to a finding. */
export function differs(entry: Difference, finding: Finding): boolean {
  return entry.type === finding.type && entry.about === finding.about;
}
