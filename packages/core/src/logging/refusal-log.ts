import type { ServerRefusal } from "@kit/types";

import type { Log } from "./log.ts";

/** At most one entry of a kind within this time. */
const intervalMs = 60_000;

interface Window {
  /** How many there were that no entry told of. */
  untold: number;
  last: ServerRefusal;
  readonly timer: NodeJS.Timeout;
}

/**
 * What the server refused by itself, before there was a request that could be logged. The first of a kind is logged at
 * once, then for each minute in which there were more how many: whoever sends rubbish must not be able to fill the log.
 * Kinds are told apart by code and message, which are constants of the server and so are few.
 */
export class RefusalLog {
  readonly #log: Log;
  readonly #windows = new Map<string, Window>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts one, and logs it where it is the first of its kind in its minute. */
  count(refusal: ServerRefusal): void {
    const kind = `${refusal.code} ${refusal.message}`;
    const window = this.#windows.get(kind);
    if (window !== undefined) {
      window.untold += 1;
      window.last = refusal;
      return;
    }
    this.#open(kind, refusal);
    this.#write(refusal, 1, prefixOf(refusal));
  }

  /** Tells what was not told yet; for the end of the application. */
  flush(): void {
    for (const window of this.#windows.values()) {
      clearTimeout(window.timer);
      this.#tellRest(window);
    }
    this.#windows.clear();
  }

  #open(kind: string, last: ServerRefusal): void {
    const timer = setTimeout(() => this.#close(kind), intervalMs).unref();
    this.#windows.set(kind, { untold: 0, last, timer });
  }

  #close(kind: string): void {
    const window = this.#windows.get(kind)!;
    this.#windows.delete(kind);
    if (window.untold === 0) return;
    this.#tellRest(window);
    // They go on: the next minute's are counted as well.
    this.#open(kind, window.last);
  }

  #tellRest({ untold, last }: Window): void {
    if (untold > 0) this.#write(last, untold, `${untold} times more within a minute: ${prefixOf(last)}`);
  }

  #write({ traceId, ...data }: ServerRefusal, count: number, prefix: string): void {
    const { message, ...rest } = data;
    const place = { phase: "received", ...(traceId !== undefined && { traceId }) };
    this.#log.at(() => place).warn(`${prefix}: ${message}`, { ...rest, count });
  }
}

function prefixOf({ status, code }: ServerRefusal): string {
  return status === undefined ? code : `The server refused a request with ${status} ${code}`;
}
