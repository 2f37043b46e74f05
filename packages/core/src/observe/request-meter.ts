import type { RequestObserver } from "@kit/types";

import { monotonicMs } from "./clock.ts";

type OnEnd = NonNullable<RequestObserver["onEnd"]>;

/** Measures requests for observers with `onEnd`. Keeps nothing about a request but its time of arrival. */
export class RequestMeter {
  readonly #onEnd: readonly OnEnd[];
  readonly #onFailure: (error: unknown) => void;
  #activeCount = 0;

  /** Creates a meter. `onFailure` logs the error of an observer. */
  constructor(onEnd: readonly OnEnd[], onFailure: (error: unknown) => void) {
    this.#onEnd = onEnd;
    this.#onFailure = onFailure;
  }

  /** Number of requests that have begun and not ended. */
  get activeCount(): number {
    return this.#activeCount;
  }

  /** Notes the arrival of a request. Returns its time in monotonic milliseconds, for {@link RequestMeter.end}. */
  begin(): number {
    this.#activeCount += 1;
    return monotonicMs();
  }

  /** Notes the end of a request, and notifies the observers. Never throws. */
  end(startMs: number, route: string | null, method: string, status: number): void {
    this.#activeCount -= 1;
    const durationMs = Math.max(0, monotonicMs() - startMs);
    for (const onEnd of this.#onEnd) {
      try {
        onEnd(route, method, status, durationMs);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }
}

/** Returns true if an observer needs records of requests, and not only {@link RequestObserver.onEnd}. */
export function needsRecords(observer: RequestObserver): boolean {
  return Object.keys(observer).some((key) => key !== "onEnd") || observer.onEnd === undefined;
}
