/** Calls `convert` with a value, or with the result of a promise. A needless promise costs more than a look-up in memory. */
export function convertResult<T, TResult>(
  value: T | PromiseLike<T>,
  convert: (value: T) => TResult | Promise<TResult>,
): TResult | Promise<TResult> {
  return isPromiseLike(value) ? Promise.resolve(value).then(convert) : convert(value);
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
