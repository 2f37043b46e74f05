import { writeDuration } from "./duration.ts";
import { Latency, longestWindowMs } from "../history/latency.ts";
import type { SidecarState } from "./sidecar-state.ts";
import type { Query } from "./query.ts";
import { routesNamed } from "./routes.ts";
import type { Figures, Performance } from "./shapes.ts";

export const defaultWindowMs: number = 5 * 60_000;

export function performanceOf(state: SidecarState, query: Query): Performance {
  const windowMs = query.duration("window", longestWindowMs) ?? defaultWindowMs;
  const name = query.text("route");
  const wanted = name === undefined ? undefined : routesNamed(state, name);
  const { since, routes } = state.history.latency(windowMs);
  const seconds = Math.max(1, (Date.now() - since) / 1_000);
  const all = new Latency();
  for (const [route, latency] of routes) if (wanted?.has(route) ?? true) all.merge(latency);
  return {
    route: name ?? null,
    window: writeDuration(windowMs),
    // Start of the first slice, because slices are counted completely or not at all.
    since: new Date(since).toISOString(),
    ...figuresOf(all, seconds),
    ...(wanted === undefined && {
      // The history has an empty name for requests without a route, the response has null.
      routes: [...routes]
        .filter(([, { sketch }]) => sketch.count > 0)
        .map(([route, latency]) =>
          Object.assign({ route: route === "" ? null : route }, figuresOf(latency, seconds)),
        )
        .toSorted((a, b) => b.count - a.count),
    }),
  };
}

export function figuresOf({ sketch, failed }: Latency, seconds: number): Figures {
  const { count, sum, min, max } = sketch;
  if (count === 0) {
    const none = { p50: null, p95: null, p99: null, min: null, max: null, avgMs: null };
    return { count, failed, ...none, throughput: 0 };
  }
  // A quantile is the value of a histogram bin, so it can lie outside of the exact minimum and maximum.
  const at = (quantile: number): number =>
    round(Math.min(max, Math.max(min, sketch.getValueAtQuantile(quantile))));
  return {
    count,
    failed,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    min: round(min),
    max: round(max),
    avgMs: round(sum / count),
    throughput: round(count / seconds),
  };
}

/** Rounds to three digits, or to integers from 100 on, because the histogram has an accuracy of half a percent. */
function round(value: number): number {
  return value < 100 ? Number(value.toPrecision(3)) : Math.round(value);
}
