/** Time in milliseconds in which further items of a kind are counted together. */
const windowMs = 60_000;

interface Window<TItem> {
  /** Number of items that the caller has logged. */
  logged: number;
  /** Number of items that are not logged yet. */
  unlogged: number;
  last: TItem;
  readonly timer: NodeJS.Timeout;
}

/**
 * Logs the number of items of one kind that were counted but not logged. `last` is the latest of these items.
 */
export type LogRemaining<TItem> = (kind: string, count: number, last: TItem) => void;

/**
 * Limits the log if clients or a faulty handler can cause any number of entries. The first items of a kind have their
 * own entries. All other items of the same minute are logged in one entry with their number, at the end of the
 * minute.
 *
 * If more items of a kind follow in the next minute, these items are only counted, and logged as one entry. The
 * caller must keep the number of kinds small, because each kind holds a timer and one item in memory for a minute.
 */
export class Sampler<TItem> {
  readonly #limit: number;
  readonly #logRemaining: LogRemaining<TItem>;
  readonly #windows = new Map<string, Window<TItem>>();

  /** Creates a sampler. `limit` is the number of single entries for each kind and minute. */
  constructor(limit: number, tellRest: LogRemaining<TItem>) {
    this.#limit = limit;
    this.#logRemaining = tellRest;
  }

  /** Counts an item. Returns true if the caller must log the item now. */
  shouldLog(kind: string, item: TItem): boolean {
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
    window.unlogged += 1;
    return false;
  }

  /** Logs the counts that are not logged yet. Called when the application closes. */
  flush(): void {
    for (const [kind, window] of this.#windows) {
      clearTimeout(window.timer);
      this.#logRemainingOf(kind, window);
    }
    this.#windows.clear();
  }

  #open(kind: string, last: TItem, logged: number): void {
    const timer = setTimeout(() => this.#close(kind), windowMs).unref();
    this.#windows.set(kind, { logged, unlogged: 0, last, timer });
  }

  #close(kind: string): void {
    const window = this.#windows.get(kind)!;
    this.#windows.delete(kind);
    if (window.unlogged === 0) return;
    this.#logRemainingOf(kind, window);
    this.#open(kind, window.last, this.#limit);
  }

  #logRemainingOf(kind: string, { unlogged, last }: Window<TItem>): void {
    if (unlogged > 0) this.#logRemaining(kind, unlogged, last);
  }
}
