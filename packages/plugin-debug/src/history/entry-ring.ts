/** Entry as the ring stores it, with the fields that lists are filtered by. */
export interface KeptText {
  /** Number of the entry. The first entry has the number 1, and each later entry has the next number. */
  readonly sequence: number;
  /** Time in milliseconds since 1970. */
  readonly time: number;
  readonly requestId: string | null;
  /** Severity of a log entry. */
  readonly severity: number;
  /** Entry as JSON. */
  readonly text: string;
}

/** Estimated bytes that an entry needs in addition to its JSON. */
const overheadBytes = 120;

/**
 * Ring of the newest entries. Their count and their bytes are limited. Entries are stored as JSON, because one string needs less memory
 * than nested objects.
 */
export class EntryRing {
  readonly #maxCount: number;
  readonly #maxBytes: number;
  /** Entries, the oldest first. Entries before the index `#start` have been dropped. */
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

  /** Estimated bytes of all entries. Counts two bytes per UTF-16 code unit, which is the most that a JavaScript engine uses. */
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

  /** Returns the entries whose sequence number is greater than the given one, the oldest first. */
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
