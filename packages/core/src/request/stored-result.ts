/** Answer in the form in which it is sent. */
export interface StoredAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Content type. `null` if there is no body. */
  readonly contentType: string | null;
  /** Other headers: name, value, name, value. */
  readonly headers: readonly string[];
  /** Body. `null` if there is none. */
  readonly body: Uint8Array | null;
}

/** Result of a wrapper that sends a stored answer. */
export class StoredResult {
  readonly stored: StoredAnswer;

  constructor(stored: StoredAnswer) {
    this.stored = stored;
  }
}
