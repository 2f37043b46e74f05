/** A text that is kept, and what it is found by. */
export interface KeptText {
  /** Ascending, from 1. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly requestId: string | null;
  /** Of log entries. */
  readonly severity: number;
  /** JSON. */
  readonly text: string;
}

/** What each entry takes besides its text. */
const overheadBytes = 120;

/** The last entries, bounded by count and by bytes. They are kept as text: one value each, however deep it was. */
export class EntryRing {
  readonly #maxCount: number;
  readonly #maxBytes: number;
  /** The oldest first, from `#start` on. */
  #entries: (KeptText | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  #sequence = 0;

  constructor(maxCount: number, maxBytes: number) {
    this.#maxCount = maxCount;
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#entries.length - this.#start;
  }

  /** Of the texts as UTF-16, the most that an engine takes for them. */
  get bytes(): number {
    return this.#bytes;
  }

  push({ time, requestId, severity, text }: Omit<KeptText, "sequence">): void {
    this.#sequence += 1;
    this.#entries.push({ sequence: this.#sequence, time, requestId, severity, text });
    this.#bytes += sizeOf(text);
    while (this.count > this.#maxCount || (this.#bytes > this.#maxBytes && this.count > 0)) this.#drop();
    // Moved once in a while, so that dropping one costs nothing.
    if (this.#start > 1_024 && this.#start * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The newest first. */
  *newest(): Generator<KeptText> {
    for (let index = this.#entries.length - 1; index >= this.#start; index -= 1) yield this.#entries[index]!;
  }

  /** Those after a number, the oldest first. */
  after(sequence: number): KeptText[] {
    const missed = this.#sequence - sequence;
    const from = Math.max(this.#start, this.#entries.length - missed);
    return this.#entries.slice(from) as KeptText[];
  }

  #drop(): void {
    this.#bytes -= sizeOf(this.#entries[this.#start]!.text);
    this.#entries[this.#start] = undefined;
    this.#start += 1;
  }
}

function sizeOf(text: string): number {
  return text.length * 2 + overheadBytes;
}
