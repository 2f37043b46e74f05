/** Object whose property values have unknown types. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns true if a value is a JSON object: neither an array nor `null`.
 *
 * @example
 * ```ts
 * isObject({}); // true
 * isObject([]); // false
 * ```
 */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns an own property of an object. Generated code uses this function only for declared properties that
 * `Object.prototype` also has (`constructor`, `toString`, `__proto__`), because an inherited property would count as
 * present.
 *
 * @example
 * ```ts
 * ownProperty({ toString: 1 }, "toString"); // 1
 * ownProperty({}, "toString"); // undefined
 * ```
 */
export function ownProperty(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Fields)[key] : undefined;
}

/**
 * Returns true if `[key: number]` accepts the key: a number as JavaScript prints it, `7` but not `07`.
 *
 * @example
 * ```ts
 * isNumericKey("7"); // true
 * isNumericKey("07"); // false
 * ```
 */
export function isNumericKey(key: string): boolean {
  return String(Number(key)) === key;
}

/**
 * Returns the handler's value for the type `unknown`: the parsed JSON itself, without keys named `__proto__`.
 * A later `Object.assign` in a handler would set the prototype to the value of this key. Uses a list instead
 * of recursion, which is faster.
 *
 * @example
 * ```ts
 * decodeUnknown(JSON.parse('{"a":1,"__proto__":{"b":2}}')); // { a: 1 }
 * ```
 */
export function decodeUnknown(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Object.hasOwn(next, "__proto__")) Reflect.deleteProperty(next, "__proto__");
    for (const child of Object.values(next)) {
      if (typeof child === "object" && child !== null) pending.push(child as object);
    }
  }
  return value;
}
