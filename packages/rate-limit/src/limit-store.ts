/** Count of the requests of one client in its window. */
export interface LimitCount {
  /** Number of requests since the window began, including this one. */
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Store of the counts of a rate limit. */
export interface LimitStore {
  /**
   * Counts a request. The first request of a key begins a window of `windowMs`, and the count begins again with the first
   * request after the window.
   *
   * @throws {unknown} If the store cannot be reached.
   */
  count(key: string, windowMs: number): Promise<LimitCount> | LimitCount;
}
