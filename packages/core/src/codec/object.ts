/** An object whose properties are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, not null. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A property of the object itself. Generated code reads a declared property through this only where
 * `Object.prototype` has one of that name (`constructor`, `toString`, `__proto__`), which would count as present otherwise.
 */
export function own(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Fields)[key] : undefined;
}

/** Whether a key is one that `[key: number]` takes: a number as JavaScript prints it, `7` but not `07`. */
export function isNumericKey(key: string): boolean {
  return String(Number(key)) === key;
}

/**
 * The handler's value of an `unknown`: the parsed JSON itself, without any key `__proto__`: as a property it would
 * do no harm yet, but the next `Object.assign` of a handler would make it a prototype. Walks with a list of its own, which costs
 * less than calls.
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
