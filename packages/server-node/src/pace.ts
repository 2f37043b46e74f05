/** Speed with which a client must send a body in chunks. */
export interface Pace {
  /** Milliseconds that a client may be behind the rate. */
  readonly idleMs: number;
  /** Minimum rate. 0 for none: each byte lets the time start again. */
  readonly bytesPerSecond: number;
}

/**
 * Returns the milliseconds by which a client is behind a minimum rate, after the server has waited for the client. `behind` is the result of
 * the last call. Each byte makes up for the time that the byte may take. Bytes that are faster are no credit for later. `Pace` of kit-guard
 * has the same rule in Rust.
 */
export function behindRate(
  { bytesPerSecond }: Pick<Pace, "bytesPerSecond">,
  behind: number,
  { waitedMs, bytes }: { readonly waitedMs: number; readonly bytes: number },
): number {
  const late = behind + waitedMs;
  if (bytesPerSecond === 0) return bytes > 0 ? 0 : late;
  return Math.max(late - (bytes / bytesPerSecond) * 1000, 0);
}
