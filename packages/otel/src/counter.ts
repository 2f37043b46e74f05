import type { ExportCounts } from "@kit/types";

/** Counts what became of one kind of telemetry. */
export class Counter {
  readonly #onDrop: () => void;
  #exported = 0;
  #dropped = 0;
  #pending = 0;
  /** What no entry of the log told of yet. */
  #untold = 0;

  /** `onDrop`: called when some are lost. */
  constructor(onDrop: () => void) {
    this.#onDrop = onDrop;
  }

  /** Some more wait. */
  add(count: number): void {
    this.#pending += count;
  }

  /** Some that waited were exported, or were not. */
  settle(count: number, isExported: boolean): void {
    if (isExported) {
      this.#pending -= count;
      this.#exported += count;
    } else this.drop(count);
  }

  /** Some that waited are lost. */
  drop(count: number): void {
    this.#pending -= count;
    this.#dropped += count;
    this.#untold += count;
    if (count > 0) this.#onDrop();
  }

  /** How many were lost since the last call. */
  takeUntold(): number {
    const untold = this.#untold;
    this.#untold = 0;
    return untold;
  }

  counts(): ExportCounts {
    return { exported: this.#exported, dropped: this.#dropped, pending: this.#pending };
  }
}
