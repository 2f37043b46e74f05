/**
 * Returns the value that the JSON of a value describes: objects with the method `toJSON` are replaced by its result, at any
 * depth. Dates and bytes stay, because kit writes them by itself.
 *
 * A part of the value is replaced when a serializer reads it, so only parts that a type declares cost time.
 *
 * @example
 * ```ts
 * const order = { total: { toJSON: () => "19.90" } };
 * JSON.stringify(callToJson(order)); // '{"total":"19.90"}'
 * ```
 */
export function callToJson(value: unknown, key = ""): unknown {
  if (!isContainer(value)) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  const json: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
  // The target is an empty object: a proxy of a frozen object can return no other values than those of the object.
  return isContainer(json) ? new Proxy<object>(Array.isArray(json) ? [] : {}, new Reader(json)) : json;
}

function isContainer(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array)
  );
}

/** Handler of a proxy that reads the properties of an object or an array. */
class Reader implements ProxyHandler<object> {
  readonly #source: object;

  constructor(source: object) {
    this.#source = source;
  }

  get(_: object, key: string | symbol): unknown {
    // The source is `this` of its getters, because a proxy has no private members of a class.
    const value: unknown = Reflect.get(this.#source, key, this.#source);
    return typeof key === "symbol" ? value : callToJson(value, key);
  }

  has(_: object, key: string | symbol): boolean {
    return Reflect.has(this.#source, key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.#source);
  }

  getOwnPropertyDescriptor(proxied: object, key: string | symbol): PropertyDescriptor | undefined {
    const own = Reflect.getOwnPropertyDescriptor(this.#source, key);
    if (own === undefined) return undefined;
    const isLength = Array.isArray(proxied) && key === "length";
    return {
      value: this.get(proxied, key),
      writable: true,
      enumerable: own.enumerable ?? false,
      configurable: !isLength,
    };
  }
}
