/**
 * Marks a property that the request does not contain.
 *
 * @example
 * ```ts
 * refuses: [["body", "$.title", "no title", missing]],
 * ```
 */
export const missing: unique symbol = Symbol("missing");

/**
 * Returns a string that repeats one character.
 *
 * @example
 * ```ts
 * characters(3); // "aaa"
 * ```
 */
export function characters(count: number, character = "a"): string {
  return character.repeat(count);
}

/**
 * Returns a list of equal items.
 *
 * @example
 * ```ts
 * items(2, "a"); // ["a", "a"]
 * ```
 */
export function items(count: number, item: unknown): unknown[] {
  return Array.from({ length: count }, () => item);
}

/**
 * Nests a value within itself, `levels` times. Each copy is at the path `way` of the enclosing copy.
 *
 * @example
 * ```ts
 * nested(3, ["children", 0], { name: "a", children: [] });
 * // { name: "a", children: [{ name: "a", children: [{ name: "a", children: [] }] }] }
 * ```
 */
export function nested(levels: number, way: readonly (string | number)[], value: unknown): unknown {
  let inner = value;
  for (let level = 1; level < levels; level += 1) inner = placed(value, way, inner);
  return inner;
}

/**
 * Returns a copy of a value with `inner` at a path. If `inner` is {@link missing}, removes the property at the path. Creates objects and
 * lists on the path that do not exist.
 */
export function placed(value: unknown, way: readonly (string | number)[], inner: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined) return inner;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [];
    list[step] = placed(list[step], rest, inner);
    return list;
  }
  const entries = new Map(Object.entries(typeof value === "object" && value !== null ? value : {}));
  const changed = placed(entries.get(step), rest, inner);
  if (changed === missing) entries.delete(step);
  else entries.set(step, changed);
  return Object.fromEntries(entries);
}

/** Returns the value at a path, or `undefined` if the path does not exist. */
export function valueAt(value: unknown, way: readonly (string | number)[]): unknown {
  return way.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? (Reflect.get(at, step) as unknown) : undefined),
    value,
  );
}

/** Splits the path of a failure into its steps: `$.items[0]["odd key"]` gives `["items", 0, "odd key"]`. */
export function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.(\w+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
  }
  return steps;
}
