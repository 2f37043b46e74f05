/** What a key of a query string holds: nothing, a text, or several where the key is repeated. */
export type QueryValue = string | string[] | undefined;

/**
 * Reads the declared keys of a query string (without its `?`), in the order of `keys`. Other keys are not even decoded. A pair
 * without `=` has an empty text; a piece with an invalid percent-escape is left as it was written.
 *
 * @example
 * ```ts
 * readQuery("page=2&tag=a&tag=b%20c", ["page", "tag", "q"]); // ["2", ["a", "b c"], undefined]
 * ```
 */
export function readQuery(query: string, keys: readonly string[]): QueryValue[] {
  const values: QueryValue[] = [];
  for (let index = 0; index < keys.length; index++) values.push(undefined);
  eachPair(query, (start, equals, end) => {
    const index = keys.indexOf(decodePiece(query, start, equals));
    if (index >= 0) values[index] = join(values[index], decodePiece(query, equals + 1, end));
  });
  return values;
}

/** Reads every key, for a type with an index signature. A `Map`, so that no key can be mistaken for anything else. */
export function readWholeQuery(query: string): Map<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  eachPair(query, (start, equals, end) => {
    const key = decodePiece(query, start, equals);
    values.set(key, join(values.get(key), decodePiece(query, equals + 1, end)));
  });
  return values;
}

/** Calls with the bounds of each pair: `start..equals` is the key, `equals + 1..end` the value. */
function eachPair(query: string, pair: (start: number, equals: number, end: number) => void): void {
  const length = query.length;
  for (let start = 0; start < length;) {
    let end = query.indexOf("&", start);
    if (end < 0) end = length;
    const equals = query.indexOf("=", start);
    if (end > start) pair(start, equals < 0 || equals > end ? end : equals, end);
    start = end + 1;
  }
}

function join(before: QueryValue, value: string): string | string[] {
  if (before === undefined) return value;
  if (typeof before === "string") return [before, value];
  before.push(value);
  return before;
}

function decodePiece(query: string, start: number, end: number): string {
  const piece = query.slice(start, end);
  const spaced = piece.includes("+") ? piece.replaceAll("+", " ") : piece;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return piece;
  }
}
