/** Iterator of values, as handlers return it. */
export type ValueIterator = AsyncIterator<unknown, unknown, undefined>;

/**
 * Returns an iterable that maps each value. Unlike an async generator, `return` ends the source at once, also while the
 * next value is awaited, so that a client that disconnects ends the handler's work.
 */
export function mapIterator<TResult>(
  source: object,
  iterator: ValueIterator,
  map: (value: unknown) => TResult,
): AsyncIterable<TResult> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await iterator.next();
        return done === true ? { done, value: undefined } : { done: false, value: map(value) };
      },
      return: () => endSource(source, iterator),
    }),
  };
}

/** Ends a source of values: destroys a Node stream, and calls `return` of any other iterator. */
export async function endSource(
  source: object,
  iterator: ValueIterator,
): Promise<IteratorReturnResult<undefined>> {
  // The iterator of a Node stream may wait without end, so the stream itself is destroyed.
  if (typeof (source as { destroy?: unknown }).destroy === "function")
    (source as { destroy(): void }).destroy();
  else await iterator.return?.();
  return { done: true, value: undefined };
}
