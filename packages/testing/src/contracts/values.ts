/** Stands for nothing: the request has no such member. */
export const missing: unique symbol = Symbol("missing");

/** A text of so many characters. */
export function characters(count: number, character = "a"): string {
  return character.repeat(count);
}

/** So many times the same item. */
export function items(count: number, item: unknown): unknown[] {
  return Array.from({ length: count }, () => item);
}

/**
 * A value within itself: `levels` copies of it, each at `way` of the one before.
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

/** A copy of a value with another one, or nothing, at a place in it; what is missing on the way there is made. */
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

/** What a value has at a place; `undefined` where there is nothing. */
export function valueAt(value: unknown, way: readonly (string | number)[]): unknown {
  return way.reduce<unknown>(
    (at, step) => (typeof at === "object" && at !== null ? (Reflect.get(at, step) as unknown) : undefined),
    value,
  );
}

/** The steps of a path as failures name it: `$.items[0]["odd key"]` is `["items", 0, "odd key"]`. */
export function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.(\w+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
  }
  return steps;
}
