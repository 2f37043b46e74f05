/**
 * Converts a list of alternating header names and values to an object. A repeated name gets an array.
 *
 * @example
 * ```ts
 * headerRecord(["a", "1", "set-cookie", "b=2", "set-cookie", "c=3"]); // { a: "1", "set-cookie": ["b=2", "c=3"] }
 * ```
 */
export function headerRecord(headers: readonly string[]): Record<string, string | string[]> {
  // The name of a header may be `__proto__`. On an ordinary object, an assignment to this name sets no property.
  const record = Object.create(null) as Record<string, string | string[]>;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    const present = record[name];
    if (present === undefined) record[name] = value;
    else if (typeof present === "string") record[name] = [present, value];
    else present.push(value);
  }
  return record;
}
