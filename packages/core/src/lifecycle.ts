/** One phase of a request. */
export interface LifecyclePhase {
  /** `received`, `server:normalize`, `middleware:<name>`, `validation:params`, …, `response`. */
  readonly phase: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly durationMs: number;
  /** Of the validation phases. */
  readonly result?: "pass" | "fail";
  /** Of the phase `response`. */
  readonly status?: number;
}

/** What became of a request, phase by phase. */
export interface LifecycleTrace {
  readonly traceId: string;
  /** `GET /notes/:id`; nothing where no route matched. */
  readonly route: string | null;
  /** The server adapter's name. */
  readonly server: string;
  readonly lifecycle: readonly LifecyclePhase[];
  readonly totalMs: number;
}

/** Times the phases of one request; made only when somebody wants the trace. */
export class LifecycleRecorder {
  readonly #phases: { phase: string; start: number; end: number; result?: "pass" | "fail" }[] = [];

  /** Ends the phase under way and begins the next. */
  enter(phase: string): void {
    const now = performance.now();
    this.#endCurrent(now);
    this.#phases.push({ phase, start: now, end: now });
  }

  /** Says how the validation under way ended. */
  result(result: "pass" | "fail"): void {
    this.#phases.at(-1)!.result = result;
  }

  /** Ends the last phase, which is `response`. */
  finish(status: number, of: Pick<LifecycleTrace, "traceId" | "route" | "server">): LifecycleTrace {
    const now = performance.now();
    this.#endCurrent(now);
    const last = this.#phases.length - 1;
    const lifecycle = this.#phases.map(({ phase, start, end, result }, index): LifecyclePhase => ({
      phase,
      timestamp: new Date(performance.timeOrigin + start).toISOString(),
      durationMs: end - start,
      ...(result !== undefined && { result }),
      ...(index === last && { status }),
    }));
    return { ...of, lifecycle, totalMs: now - (this.#phases[0]?.start ?? now) };
  }

  #endCurrent(now: number): void {
    const current = this.#phases.at(-1);
    if (current !== undefined) current.end = now;
  }
}
