import { DDSketch } from "@datadog/sketches-js";

/** Relative accuracy of the histogram. The documentation promises one percent; the difference is for rounding errors. */
const relativeAccuracy = 0.005;

/** Latencies of one route in one slice of time, as a histogram. Merging two histograms does not reduce the accuracy. */
export class Latency {
  readonly sketch: DDSketch = new DDSketch({ relativeAccuracy });
  /** Number of responses with a status of 500 or above. */
  failed = 0;

  add(durationMs: number, isFailed: boolean): void {
    this.sketch.accept(durationMs);
    if (isFailed) this.failed += 1;
  }

  merge(other: Latency): void {
    if (other.sketch.count > 0) this.sketch.merge(other.sketch);
    this.failed += other.failed;
  }

  /** Returns the histogram as JSON. */
  write(): string {
    const { store, zeroCount, min, max, sum } = this.sketch;
    const { bins, offset, minKey, maxKey } = store;
    const counts = store.count === 0 ? [] : bins.slice(minKey - offset, maxKey - offset + 1);
    return JSON.stringify({
      minKey: store.count === 0 ? 0 : minKey,
      counts,
      zeroCount,
      min,
      max,
      sum,
      failed: this.failed,
    });
  }

  static read(text: string): Latency {
    const { minKey, counts, zeroCount, min, max, sum, failed } = JSON.parse(text) as {
      minKey: number;
      counts: number[];
      zeroCount: number;
      min: number;
      max: number;
      sum: number;
      failed: number;
    };
    const latency = new Latency();
    const { sketch } = latency;
    for (const [index, count] of counts.entries()) if (count > 0) sketch.store.add(minKey + index, count);
    sketch.zeroCount = zeroCount;
    sketch.count = sketch.store.count + zeroCount;
    Object.assign(sketch, { min, max, sum });
    latency.failed = failed;
    return latency;
  }
}

/** Length of the slices of one tier, and the time after which the tier drops them. */
export interface Tier {
  readonly sliceMs: number;
  readonly keepMs: number;
}

const minute = 60_000;
const hour = 60 * minute;

/** Tiers of slices. Short slices are stored for a short time only, so that a whole day needs little memory. */
export const tiers: readonly Tier[] = [
  { sliceMs: 10_000, keepMs: 10 * minute },
  { sliceMs: minute, keepMs: 2 * hour },
  { sliceMs: 15 * minute, keepMs: 25 * hour },
];

/** Longest window of time that can be requested. */
export const longestWindowMs: number = 24 * hour;

/** Returns the index of the first tier that covers a time window. */
export function tierOf(windowMs: number): number {
  const found = tiers.findIndex(({ keepMs }) => windowMs < keepMs);
  return found === -1 ? tiers.length - 1 : found;
}

/**
 * Maximum number of routes in the current slice, more than most applications have. Further routes are counted
 * as requests without a route.
 */
const mostRoutes = 2_000;
/** Maximum number of histograms in memory. Each needs some kilobytes. */
const mostHistograms = 8_000;

/** Latencies of one slice by the name of the route. Requests without a route have the empty name. */
export type Routes = Map<string, Latency>;

/** Latencies of the routes, divided into slices of time. Recent slices are short, older slices are long. */
export class LatencyHistory {
  /** Latencies since the last {@link LatencyHistory.flush}. Each finished request is counted here first. */
  #recent: Routes = new Map();
  /** Time at which the current slices end. Later requests belong to the next slices. */
  #recentEndsAt = 0;
  #recentStart = 0;
  /** Slices of each tier by their start, the oldest first. */
  readonly #slices: readonly Map<number, Routes>[] = tiers.map(() => new Map());
  /** For each tier, the time from which on all slices are present. */
  readonly #since: number[] = tiers.map(() => -Infinity);
  #histograms = 0;
  readonly #changed: Set<string>[] = tiers.map(() => new Set());

  /** Number of stored histograms. */
  get size(): number {
    return this.#histograms;
  }

  record(route: string, durationMs: number, isFailed: boolean, now: number): void {
    if (now >= this.#recentEndsAt || now < this.#recentStart) this.#begin(now);
    let latency = this.#recent.get(route);
    if (latency === undefined) {
      const name = this.#recent.size >= mostRoutes ? "" : route;
      latency = this.#recent.get(name) ?? new Latency();
      this.#recent.set(name, latency);
    }
    latency.add(durationMs, isFailed);
  }

  /** Merges the recent latencies into the slices of all tiers, and drops slices that are too old. */
  flush(now: number): void {
    if (this.#recent.size > 0) {
      for (const [index, tier] of tiers.entries()) this.#addTo(index, tier);
      this.#recent = new Map();
    }
    for (const [index, { keepMs, sliceMs }] of tiers.entries()) {
      for (const start of this.#slices[index]!.keys()) {
        if (start + sliceMs > now - keepMs) break;
        this.#forget(index, start);
      }
    }
    while (this.#histograms > mostHistograms) this.#forgetMost();
  }

  /** Returns latencies by route in the last `windowMs` milliseconds. `since` is the start of the first slice. */
  window(windowMs: number, now: number): { readonly since: number; readonly routes: Routes } {
    const { since, slices } = this.slices(windowMs, now);
    const routes: Routes = new Map();
    for (const slice of slices.values()) mergeInto(routes, slice);
    return { since, routes };
  }

  /** Returns the slices of the last `windowMs` milliseconds by their start, the oldest first. */
  slices(
    windowMs: number,
    now: number,
  ): { readonly since: number; readonly sliceMs: number; readonly slices: ReadonlyMap<number, Routes> } {
    this.flush(now);
    let index = tierOf(windowMs);
    while (index + 1 < tiers.length && this.#since[index]! > now - windowMs) index += 1;
    const { sliceMs } = tiers[index]!;
    const since = Math.max(Math.floor((now - windowMs) / sliceMs) * sliceMs, this.#since[index]!);
    return { since, sliceMs, slices: new Map([...this.#slices[index]!].filter(([start]) => start >= since)) };
  }

  /** Returns the slices that have changed since the last call. The caller stores them in a file. */
  takeChanged(): { tier: number; start: number; route: string; latency: Latency }[] {
    return this.#changed.flatMap((names, tier) => {
      const taken = [...names].flatMap((name) => {
        const separator = name.indexOf(" ");
        const [start, route] = [Number(name.slice(0, separator)), name.slice(separator + 1)];
        const latency = this.#slices[tier]!.get(start)?.get(route);
        return latency === undefined ? [] : [{ tier, start, route, latency }];
      });
      names.clear();
      return taken;
    });
  }

  #begin(now: number): void {
    this.flush(now);
    const { sliceMs } = tiers[0]!;
    this.#recentStart = Math.floor(now / sliceMs) * sliceMs;
    this.#recentEndsAt = this.#recentStart + sliceMs;
  }

  #addTo(index: number, { sliceMs }: Tier): void {
    const start = Math.floor(this.#recentStart / sliceMs) * sliceMs;
    const slices = this.#slices[index]!;
    let slice = slices.get(start);
    if (slice === undefined) {
      slice = new Map();
      slices.set(start, slice);
    }
    this.#histograms += mergeInto(slice, this.#recent);
    for (const route of this.#recent.keys()) this.#changed[index]!.add(`${start} ${route}`);
  }

  #forget(index: number, start: number): void {
    this.#histograms -= this.#slices[index]!.get(start)!.size;
    this.#slices[index]!.delete(start);
    this.#since[index] = start + tiers[index]!.sliceMs;
  }

  /** Drops the oldest slice of the tier that has the most histograms. */
  #forgetMost(): void {
    const sizes = this.#slices.map((slices) =>
      [...slices.values()].reduce((sum, slice) => sum + slice.size, 0),
    );
    const index = sizes.indexOf(Math.max(...sizes));
    this.#forget(index, this.#slices[index]!.keys().next().value!);
  }
}

/** Merges the latencies of `source` into `target`. Returns the number of histograms that were created. */
export function mergeInto(target: Routes, source: Routes): number {
  let made = 0;
  for (const [route, latency] of source) {
    let merged = target.get(route);
    if (merged === undefined) {
      merged = new Latency();
      target.set(route, merged);
      made += 1;
    }
    merged.merge(latency);
  }
  return made;
}
