import { useEffect, useState } from "preact/hooks";

import { ApiFailure, ask } from "./api.ts";
import { isPaused, session } from "./session.ts";

/** Result of a repeated request to the sidecar. The last value stays until the next response arrives. */
export interface Result<T> {
  readonly value: T | undefined;
  readonly failure: ApiFailure | undefined;
}

const nothing: Result<never> = { value: undefined, failure: undefined };

/** Sends a request when the component is shown, and again every `everyMs`. Sends no request if `path` is null. */
export function useSidecarData<T>(path: string | null, everyMs?: number): Result<T> {
  const [asked, setAsked] = useState<{ path: string | null; answer: Result<T> }>({ path, answer: nothing });
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    let timer: number | undefined;
    const step = async (): Promise<void> => {
      if (document.visibilityState === "visible" && (!isPaused.get() || asked.answer.value === undefined)) {
        try {
          const value = await ask<T>(path, abort.signal);
          setAsked({ path, answer: { value, failure: undefined } });
        } catch (error) {
          if (abort.signal.aborted) return;
          const failure = error instanceof ApiFailure ? error : new ApiFailure(0, "FAILED", String(error));
          setAsked((before) => ({
            path,
            answer: { value: before.path === path ? before.answer.value : undefined, failure },
          }));
        }
      }
      if (everyMs !== undefined && !abort.signal.aborted)
        timer = setTimeout(() => void step(), limitedInterval(everyMs));
    };
    void step();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs]);
  return asked.path === path ? asked.answer : nothing;
}

/** Returns the interval, lengthened if the sidecar's rate limit requires that. */
function limitedInterval(everyMs: number): number {
  const current = session.get();
  return current.state === "ready" ? Math.max(everyMs, current.info.pollMs) : everyMs;
}
