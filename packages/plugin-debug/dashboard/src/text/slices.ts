import type { Series, Slice } from "../../../src/responses/shapes.ts";

/**
 * Returns all slices of a time window, including slices without requests, whose latencies are null and whose
 * throughput is 0.
 */
export function withGaps({ since, sliceMs, slices }: Pick<Series, "since" | "sliceMs" | "slices">): Slice[] {
  const first = slices[0];
  const last = slices.at(-1);
  if (first === undefined || last === undefined) return [];
  const byStart = new Map(slices.map((slice) => [slice.start, slice]));
  const all: Slice[] = [];
  // The first slice begins at or after the start of the window, at a multiple of the slice length from the
  // existing slices.
  const from = first.start - Math.floor((first.start - Date.parse(since)) / sliceMs) * sliceMs;
  for (let start = from; start <= last.start; start += sliceMs)
    all.push(byStart.get(start) ?? nothingAt(start));
  return all;
}

function nothingAt(start: number): Slice {
  return { start, count: 0, failed: 0, p50: null, p95: null, p99: null, max: null, throughput: 0 };
}
