/** Value of a query key: absent, a string, or several strings if the key is repeated. */
export type QueryValue = string | string[] | undefined;

/**
 * Reads the declared keys of a query string (without its `?`). The result has one value for each of `keys`. Other keys
 * are ignored. A pair without `=` has an empty string as its value. A key or value with an invalid percent-escape is
 * not decoded.
 *
 * @example
 * ```ts
 * readQuery("page=2&tag=a&tag=b%20c", ["page", "tag", "q"]); // ["2", ["a", "b c"], undefined]
 * ```
 */
export function readQuery(query: string, keys: readonly string[]): QueryValue[] {
  const values: QueryValue[] = [];
  for (let index = 0; index < keys.length; index++) values.push(undefined);
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const equals = endOfKey(query, start, end);
    const index = end > start ? keys.indexOf(decodePiece(query, start, equals)) : -1;
    if (index >= 0) values[index] = join(values[index], decodePiece(query, equals + 1, end));
    start = end + 1;
  }
  return values;
}

/**
 * Reads every key, for a type with an index signature. Returns a `Map`, so that keys such as `__proto__` are safe.
 *
 * @example
 * ```ts
 * readWholeQuery("tag=a&tag=b%20c"); // new Map([["tag", ["a", "b c"]]])
 * ```
 */
export function readWholeQuery(query: string): Map<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const equals = endOfKey(query, start, end);
    if (end > start) {
      const key = decodePiece(query, start, equals);
      values.set(key, join(values.get(key), decodePiece(query, equals + 1, end)));
    }
    start = end + 1;
  }
  return values;
}

/** Returns the keys of a query string in order: `b=1&a=2&b=3` gives `["b", "a", "b"]`. */
export function queryKeys(query: string): string[] {
  const keys: string[] = [];
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    if (end > start) keys.push(decodePiece(query, start, endOfKey(query, start, end)));
    start = end + 1;
  }
  return keys;
}

function endOfPair(query: string, start: number): number {
  const end = query.indexOf("&", start);
  return end < 0 ? query.length : end;
}

/** Returns the end of a key: the first `=`, or the end of the pair. */
function endOfKey(query: string, start: number, end: number): number {
  for (let index = start; index < end; index++) {
    if (query.charCodeAt(index) === 0x3d) return index;
  }
  return end;
}

function join(before: QueryValue, value: string): string | string[] {
  if (before === undefined) return value;
  if (typeof before === "string") return [before, value];
  before.push(value);
  return before;
}

function decodePiece(query: string, start: number, end: number): string {
  const piece = query.slice(start, end);
  for (let index = 0; index < piece.length; index++) {
    const code = piece.charCodeAt(index);
    if (code === 0x25 || code === 0x2b) return decodeEscapes(piece);
  }
  return piece;
}

function decodeEscapes(piece: string): string {
  try {
    return decodeURIComponent(piece.replaceAll("+", " "));
  } catch {
    return piece;
  }
}
