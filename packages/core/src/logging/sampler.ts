/** Length of a window. */
const windowMs = 60_000;

interface Window<TItem> {
  /** Number of items that the caller has logged. */
  logged: number;
  /** Number of items that no entry tells of yet. */
  untold: number;
  last: TItem;
  readonly timer: NodeJS.Timeout;
}

/** Logs that more items of one kind came within a window. `last` is the latest of them. */
export type TellRest<TItem> = (kind: string, count: number, last: TItem) => void;

/**
 * Bounds the log where clients or a broken handler can cause any number of entries. The first items of a kind are logged one by one;
 * all others of the same minute become one entry with their number, at the end of the minute.
 *
 * A kind that goes on is counted in the next minute too, without single entries. The caller keeps the number of kinds small:
 * each kind takes a timer and one item of memory for a minute.
 */
export class Sampler<TItem> {
  readonly #limit: number;
  readonly #tellRest: TellRest<TItem>;
  readonly #windows = new Map<string, Window<TItem>>();

  /** `limit` is the number of single entries for each kind and minute. */
  constructor(limit: number, tellRest: TellRest<TItem>) {
    this.#limit = limit;
    this.#tellRest = tellRest;
  }

  /** Counts an item. Returns true if the caller logs the item now. */
  takes(kind: string, item: TItem): boolean {
    const window = this.#windows.get(kind);
    if (window === undefined) {
      this.#open(kind, item, 1);
      return true;
    }
    window.last = item;
    if (window.logged < this.#limit) {
      window.logged += 1;
      return true;
    }
    window.untold += 1;
    return false;
  }

  /** Tells what was not told yet; for the end of the application. */
  flush(): void {
    for (const [kind, window] of this.#windows) {
      clearTimeout(window.timer);
      this.#tell(kind, window);
    }
    this.#windows.clear();
  }

  #open(kind: string, last: TItem, logged: number): void {
    const timer = setTimeout(() => this.#close(kind), windowMs).unref();
    this.#windows.set(kind, { logged, untold: 0, last, timer });
  }

  #close(kind: string): void {
    const window = this.#windows.get(kind)!;
    this.#windows.delete(kind);
    if (window.untold === 0) return;
    this.#tell(kind, window);
    this.#open(kind, window.last, this.#limit);
  }

  #tell(kind: string, { untold, last }: Window<TItem>): void {
    if (untold > 0) this.#tellRest(kind, untold, last);
  }
}
