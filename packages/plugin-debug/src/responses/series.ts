import { writeDuration } from "./duration.ts";
import { Latency, longestWindowMs } from "../history/latency.ts";
import type { SidecarState } from "./sidecar-state.ts";
import { defaultWindowMs, figuresOf } from "./performance.ts";
import type { Query } from "./query.ts";
import { routesNamed } from "./routes.ts";
import type { Series } from "./shapes.ts";

/** Returns the latencies for a chart, slice by slice, the oldest first. */
export function seriesOf(state: SidecarState, query: Query): Series {
  const windowMs = query.duration("window", longestWindowMs) ?? defaultWindowMs;
  const name = query.text("route");
  const wanted = name === undefined ? undefined : routesNamed(state, name);
  const { since, sliceMs, slices } = state.history.slices(windowMs);
  const now = Date.now();
  return {
    route: name ?? null,
    window: writeDuration(windowMs),
    since: new Date(since).toISOString(),
    sliceMs,
    slices: [...slices].flatMap(([start, routes]) => {
      const all = new Latency();
      for (const [route, latency] of routes) if (wanted?.has(route) ?? true) all.merge(latency);
      if (all.sketch.count === 0) return [];
      // The last slice has not ended yet, so its duration is shorter.
      const seconds = Math.max(1, (Math.min(now, start + sliceMs) - start) / 1_000);
      const { count, failed, p50, p95, p99, max, throughput } = figuresOf(all, seconds);
      return [{ start, count, failed, p50, p95, p99, max, throughput }];
    }),
  };
}
