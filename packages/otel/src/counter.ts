import type { ExportCounts } from "@kit/types";

/** Counts the pending, exported and dropped items of one kind of telemetry. */
export class Counter {
  readonly #onDrop: () => void;
  #exported = 0;
  #dropped = 0;
  #pending = 0;
  /** Number of dropped items that no log entry has reported yet. */
  #unreportedDrops = 0;

  /** Creates a counter. `onDrop` is called whenever items are dropped. */
  constructor(onDrop: () => void) {
    this.#onDrop = onDrop;
  }

  /** Adds new items, which are pending. */
  add(count: number): void {
    this.#pending += count;
  }

  /** Counts pending items as exported or dropped. */
  complete(count: number, isExported: boolean): void {
    if (isExported) {
      this.#pending -= count;
      this.#exported += count;
    } else this.drop(count);
  }

  /** Counts pending items as dropped. */
  drop(count: number): void {
    this.#pending -= count;
    this.#dropped += count;
    this.#unreportedDrops += count;
    if (count > 0) this.#onDrop();
  }

  /** Returns the number of items that were dropped since the last call. */
  takeUnreportedDrops(): number {
    const untold = this.#unreportedDrops;
    this.#unreportedDrops = 0;
    return untold;
  }

  counts(): ExportCounts {
    return { exported: this.#exported, dropped: this.#dropped, pending: this.#pending };
  }
}
