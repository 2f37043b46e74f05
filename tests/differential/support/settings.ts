import assert from "node:assert/strict";

import type { Route } from "../requests/routes.ts";
import type { Result } from "./run.ts";

/** Settings of a run, which the environment variables `KIT_SEED`, `KIT_RUNS` and `KIT_FIRST` contain. */
export const seed: number = Number(process.env["KIT_SEED"] ?? 20_261_122);
export const first: number = Number(process.env["KIT_FIRST"] ?? 0);

/** Returns the number of requests to send: `KIT_RUNS`, or else `usual`. */
export function runs(usual: number): number {
  return Number(process.env["KIT_RUNS"] ?? usual);
}

/**
 * Modes, each with its share of the requests. Errors contain more in development, so more is compared there. Most requests run in
 * production.
 */
export const MODES = [
  ["production", 0.7],
  ["development", 0.3],
] as const;

/** Fails if the servers accepted no valid request of some route, because little was compared then. */
export function assertAccepted(routes: readonly Route[], { taken, sent }: Result): void {
  // Few requests may leave out a route by chance.
  if (sent < 100 * routes.length) return;
  const missed = routes
    .map(({ method, path }) => `valid ${method} ${path}`)
    .filter((kind) => !taken.has(kind));
  assert.deepEqual(missed, [], "no request of these was taken");
}

/** Prints the result of a run. */
export function print(title: string, { sent, seconds, statuses, needed }: Result): void {
  const counted = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const listed = JSON.stringify(Object.fromEntries(needed));
  process.stderr.write(
    `${title}: ${sent} requests, seed ${seed}, ${seconds.toFixed(1)} s; ${counted.join(", ")}; differ as listed: ${listed}\n`,
  );
}
