/**
 * Iterator over values that arrive one after the other. Several calls of `next` at once are answered in order. `return` ends
 * the iteration at once, also while a value is awaited, unlike `return` of an async generator.
 *
 * `read` returns the next value, or `undefined` at the end. `leave` is called if the iteration is left.
 */
export function serialIterator<T>(
  read: () => Promise<T | undefined>,
  leave: () => void,
): AsyncIterator<T, undefined, undefined> {
  const end = { done: true, value: undefined } as const;
  let isLeft = false;
  let last: Promise<unknown> = Promise.resolve();
  const readNext = async (): Promise<IteratorResult<T, undefined>> => {
    if (isLeft) return end;
    try {
      const value = await read();
      return value === undefined || isLeft ? end : { done: false, value };
    } catch (error) {
      // The iteration was left while it waited.
      if (isLeft) return end;
      throw error;
    }
  };
  return {
    next() {
      const result = last.then(readNext, readNext);
      last = result;
      return result;
    },
    async return() {
      isLeft = true;
      leave();
      return end;
    },
  };
}
