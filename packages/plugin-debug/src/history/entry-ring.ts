/** Stored entry, with the fields that are used for searching. */
export interface KeptText {
  /** Sequence number, ascending from 1. */
  readonly sequence: number;
  /** Time in milliseconds since 1970. */
  readonly time: number;
  readonly requestId: string | null;
  /** Severity of a log entry. */
  readonly severity: number;
  /** Entry as JSON. */
  readonly text: string;
}

/** Estimated bytes of an entry in addition to its text. */
const overheadBytes = 120;

/** Ring of the last entries, bounded by count and by bytes. Entries are stored as JSON strings, so that a nested entry is one value. */
export class EntryRing {
  readonly #maxCount: number;
  readonly #maxBytes: number;
  /** Entries from `#start` on, the oldest first. */
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

  /** Size of the texts as UTF-16, which is the most memory that an engine uses for them. */
  get bytes(): number {
    return this.#bytes;
  }

  push({ time, requestId, severity, text }: Omit<KeptText, "sequence">): void {
    this.#sequence += 1;
    this.#entries.push({ sequence: this.#sequence, time, requestId, severity, text });
    this.#bytes += sizeOf(text);
    while (this.count > this.#maxCount || (this.#bytes > this.#maxBytes && this.count > 0)) this.#drop();
    // Compacts the list only from time to time, so that dropping an entry is cheap.
    if (this.#start > 1_024 && this.#start * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Yields the entries, the newest first. */
  *newest(): Generator<KeptText> {
    for (let index = this.#entries.length - 1; index >= this.#start; index -= 1) yield this.#entries[index]!;
  }

  /** Returns the entries after a sequence number, the oldest first. */
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
