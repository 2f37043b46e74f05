import { useEffect, useState } from "preact/hooks";

import { ApiFailure, ask } from "./api.ts";
import { isPaused, session } from "./session.ts";

/** What came of a question. While it is asked anew, the last answer stays. */
export interface Answer<T> {
  readonly value: T | undefined;
  readonly failure: ApiFailure | undefined;
}

const nothing: Answer<never> = { value: undefined, failure: undefined };

/** Asks when the page shows it, and again every `everyMs` while it does. `path` null asks nothing. */
export function useAnswer<T>(path: string | null, everyMs?: number): Answer<T> {
  const [asked, setAsked] = useState<{ path: string | null; answer: Answer<T> }>({ path, answer: nothing });
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
        timer = setTimeout(() => void step(), paced(everyMs));
    };
    void step();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs]);
  return asked.path === path ? asked.answer : nothing;
}

/** Never more often than the sidecar lets the page ask. */
function paced(everyMs: number): number {
  const current = session.get();
  return current.state === "ready" ? Math.max(everyMs, current.info.pollMs) : everyMs;
}
