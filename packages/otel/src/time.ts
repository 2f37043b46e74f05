import type { HrTime } from "@opentelemetry/api";

/** Converts milliseconds with a fraction to seconds and nanoseconds: 1500.5 gives `[1, 500500000]`. */
export function hrTimeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  const nanoseconds = Math.round((milliseconds - seconds * 1_000) * 1e6);
  return nanoseconds === 1e9 ? [seconds + 1, 0] : [seconds, nanoseconds];
}
