// Compares the percentiles of random time windows with exact percentiles.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  Latency,
  LatencyHistory,
  longestWindowMs,
  mergeInto,
  type Routes,
  tierOf,
  tiers,
} from "../src/history/latency.ts";

/** Returns a generator of numbers from 0 to below 1. It gives the same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns the exact quantile of a sorted list. */
function exact(values: readonly number[], quantile: number): number {
  return values[Math.floor(quantile * (values.length - 1))]!;
}

function assertRight(latency: Latency | undefined, durations: readonly number[], what: string): void {
  const sorted = durations.toSorted((a, b) => a - b);
  assert.equal(latency?.sketch.count ?? 0, sorted.length, what);
  if (latency === undefined || sorted.length === 0) return;
  const { sketch } = latency;
  assert.deepEqual([sketch.min, sketch.max], [sorted[0], sorted.at(-1)], what);
  for (const quantile of [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
    const right = exact(sorted, quantile);
    const off = Math.abs(sketch.getValueAtQuantile(quantile) - right) / right;
    assert.ok(off <= 0.01, `${what}: ${quantile} is ${sketch.getValueAtQuantile(quantile)}, not ${right}`);
  }
}

const seed = Number(process.env["KIT_SEED"] ?? 1);
const runs = Number(process.env["KIT_RUNS"] ?? 8);

describe("the history of latencies", () => {
  for (let run = seed; run < seed + runs; run += 1) {
    it(`has percentiles with an error of at most one percent, for any time window (seed ${run})`, () => {
      const next = random(run);
      const history = new LatencyHistory();
      const start = 1_800_000_000_000 + Math.floor(next() * 1e9);
      // The requests extend over a quarter of an hour to more than a day, with random gaps.
      const totalMs = 900_000 * (1 + Math.floor(next() * 110));
      const requests: { at: number; route: string; ms: number }[] = [];
      let at = start;
      for (let count = 0; count < 4_000; count += 1) {
        at += -Math.log(1 - next()) * (totalMs / 4_000);
        // The durations extend from microseconds to minutes.
        const ms = Math.exp((next() + next() + next()) * 6 - 7);
        const request = { at, route: `GET /r${Math.floor(next() * 3)}`, ms };
        requests.push(request);
        history.record(request.route, request.ms, false, request.at);
        if (next() < 0.05) history.flush(at);
      }
      const now = at + next() * 5_000;
      const windows = [1_000, 60_000, 300_000, 900_000, 3_600_000, 7_200_000, longestWindowMs];
      for (let more = 0; more < 12; more += 1) windows.push(Math.ceil(next() * longestWindowMs));
      for (const windowMs of windows) {
        const { since, routes } = history.window(windowMs, now);
        const { sliceMs } = tiers[tierOf(windowMs)]!;
        assert.ok(since <= now - windowMs && since > now - windowMs - sliceMs, `${windowMs} since ${since}`);
        for (const route of ["GET /r0", "GET /r1", "GET /r2"]) {
          const durations = requests.filter((request) => request.at >= since && request.route === route);
          assertRight(
            routes.get(route),
            durations.map(({ ms }) => ms),
            `${route} in ${windowMs} ms`,
          );
        }
      }
    });
  }

  it("returns the same percentiles after its slices were written, read and merged in any order", () => {
    const next = random(7);
    const durations = Array.from({ length: 5_000 }, () => Math.exp(next() * 12 - 4));
    const parts = Array.from({ length: 7 }, () => new Latency());
    for (const [index, ms] of durations.entries()) parts[index % 7]!.add(ms, index % 10 === 0);
    const forth: Routes = new Map();
    const back: Routes = new Map();
    for (const part of parts) mergeInto(forth, new Map([["r", Latency.read(part.write())]]));
    for (const part of parts.toReversed()) mergeInto(back, new Map([["r", part]]));
    assertRight(forth.get("r"), durations, "read");
    assertRight(back.get("r"), durations, "not written");
    assert.equal(forth.get("r")!.failed, 500);
    assert.equal(Latency.read(new Latency().write()).sketch.count, 0);
  });

  it("uses limited memory, for any number of routes and any duration", () => {
    const history = new LatencyHistory();
    let now = 1_800_000_000_000;
    for (let slice = 0; slice < 400; slice += 1) {
      for (let route = 0; route < 100; route += 1) history.record(`GET /r${route}`, 1 + route, false, now);
      now += 10_000;
    }
    history.flush(now);
    assert.ok(history.size <= 8_000, String(history.size));
    // Short slices that were dropped are replaced by longer slices of the same time.
    const { routes, since } = history.window(540_000, now);
    assert.equal(routes.get("GET /r5")!.sketch.count, Math.round((now - since) / 10_000));
    for (let route = 0; route < 10_000; route += 1) history.record(`GET /other${route}`, 1, false, now);
    const many = history.window(1_000, now).routes;
    assert.ok(many.size <= 2_101, String(many.size));
    const counted = [...many.values()].reduce((sum, { sketch }) => sum + sketch.count, 0);
    assert.ok(counted >= 10_000, String(counted));
  });
});
