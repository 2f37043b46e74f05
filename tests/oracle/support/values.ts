// Generates values of a type, and values that almost fit it.

import type { Graph, Node } from "./graph.ts";

/** Strings for string types and templates. Some of them are also numbers, dates or base64. */
const TEXTS = ["", "a", "hello", "0", "12", "1.5", "true", "null", "A-b_c", "é", "2024-02-29T12:00:00.000Z"];
const NUMBERS = [0, 1, -1, 2, 7, 1.5, -3.25, 42, 1e21, 123456];
const DEEPEST = 6;

/** Generator of random numbers whose seed is a string. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = 2166136261;
    for (const letter of seed) this.#state = Math.imul(this.#state ^ (letter.codePointAt(0) ?? 0), 16777619);
  }

  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) % limit;
  }

  /** Returns true with this probability in percent. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** Returns a random item of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Generates values for the types of one graph. */
export class Values {
  readonly #graph: Graph;
  readonly #dice: Random;
  readonly #heights: ReadonlyMap<number, number>;

  constructor(graph: Graph, dice: Random, levels: ReadonlyMap<number, number>) {
    this.#graph = graph;
    this.#dice = dice;
    this.#heights = levels;
  }

  /** Returns a random value of the type. Returns `undefined` if the type has no values. */
  of(type: number, depth = 0): unknown {
    if (this.#height(type) === Infinity) return undefined;
    const node = this.#graph.get(type);
    switch (node.kind) {
      case "null":
        return null;
      case "string":
        return this.#dice.pick(TEXTS);
      case "number":
        return this.#dice.pick(NUMBERS);
      case "bigint":
        return BigInt(this.#dice.pick([0, 1, -5, 12_345_678_901_234]));
      case "date":
        return new Date(this.#dice.pick([0, 1, 1_700_000_000_000]));
      case "bytes":
        return new Uint8Array(this.#dice.pick([[], [1, 2, 3], [255]]));
      case "unknown":
        return this.any(depth);
      case "literal":
        return node.value.endsWith("n") ? BigInt(node.value.slice(0, -1)) : JSON.parse(node.value);
      case "template":
        return this.#template(node.parts, depth);
      case "union":
        return this.of(this.#pickMember(this.#graph.members(type), depth), depth + 1);
      case "array":
        return this.#list(depth, node.element);
      case "tuple":
        return this.#tuple(node, depth);
      case "object":
        return this.#object(node, depth);
      default:
        return undefined;
    }
  }

  /** Returns a random JSON value of any type. */
  any(depth = 0): unknown {
    const leaf = (): unknown =>
      this.#dice.pick([null, true, false, ...NUMBERS, ...TEXTS, "b", "c", "id", "kind"]);
    if (depth > 2 || this.#dice.chance(60)) return leaf();
    const count = this.#dice.below(3);
    if (this.#dice.chance(50)) return Array.from({ length: count }, () => this.any(depth + 1));
    return Object.fromEntries(
      Array.from({ length: count }, () => [
        this.#dice.pick(["a", "b", "c", "id", "kind", "name", "type", "0", "x-y"]),
        this.any(depth + 1),
      ]),
    );
  }

  /** Returns a copy of the value with one change at a random location. */
  mutate(value: unknown): unknown {
    const inside =
      isObject(value) && !(value instanceof Date) && !(value instanceof Uint8Array)
        ? Object.keys(value)
        : Array.isArray(value)
          ? value.map((_, index) => String(index))
          : [];
    if (inside.length > 0 && this.#dice.chance(65)) {
      const key = this.#dice.pick(inside);
      return this.#changed(value, key);
    }
    if (Array.isArray(value) && this.#dice.chance(70))
      return this.#dice.chance(50) ? [...value, this.any(1)] : value.slice(0, -1);
    if (isObject(value) && this.#dice.chance(50))
      return { ...value, [this.#dice.pick(["a", "b", "extra", "x-extra", "7"])]: this.any(2) };
    if (typeof value === "string" && this.#dice.chance(60))
      return this.#dice.pick([`${value} `, value.toUpperCase(), `${value}0`, value.slice(1)]);
    if (typeof value === "number" && this.#dice.chance(50)) return value + 1;
    return this.any();
  }

  /** Returns an object with some keys from `left` and some from `right`. */
  mix(left: unknown, right: unknown): unknown {
    if (!isObject(left) || !isObject(right)) return left;
    const entries = [...Object.entries(left), ...Object.entries(right)];
    return Object.fromEntries(entries.filter(() => this.#dice.chance(75)));
  }

  #changed(value: unknown, key: string): unknown {
    if (Array.isArray(value))
      return value.map((item, index) => (String(index) === key ? this.mutate(item) : item));
    const entries = Object.entries(value as object);
    return this.#dice.chance(30)
      ? Object.fromEntries(entries.filter(([name]) => name !== key))
      : Object.fromEntries(entries.map(([name, item]) => [name, name === key ? this.mutate(item) : item]));
  }

  #height(type: number): number {
    return this.#heights.get(this.#graph.resolve(type)) ?? Infinity;
  }

  #pickMember(members: readonly number[], depth: number): number {
    const finite = members.filter((member) => this.#height(member) < Infinity);
    if (depth < DEEPEST) return this.#dice.pick(finite);
    return finite.toSorted((a, b) => this.#height(a) - this.#height(b))[0] as number;
  }

  #template(parts: readonly (string | number)[], depth: number): string {
    return parts
      .map((part) => {
        if (typeof part === "string") return part;
        const value = this.of(part, depth + 1);
        return String(value);
      })
      .join("");
  }

  #list(depth: number, element: number): unknown[] {
    const empty = depth >= DEEPEST || this.#height(element) === Infinity;
    const length = empty ? 0 : this.#dice.below(4);
    return Array.from({ length }, () => this.of(element, depth + 1));
  }

  #tuple(node: Node & { kind: "tuple" }, depth: number): unknown[] {
    const list: unknown[] = [];
    const trailing = node.elements.findLastIndex((element) => !element.optional && !element.rest);
    for (const [index, { type, optional, rest }] of node.elements.entries()) {
      if (rest) list.push(...this.#list(depth, type));
      else if (optional && index > trailing && (this.#dice.chance(40) || this.#height(type) === Infinity))
        break;
      else list.push(this.of(type, depth + 1));
    }
    return list;
  }

  #object(node: Node & { kind: "object" }, depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { name, type, optional } of node.properties) {
      if (optional && (depth >= DEEPEST || this.#dice.chance(40) || this.#height(type) === Infinity))
        continue;
      define(result, name, this.of(type, depth + 1));
    }
    for (const { key, type } of node.index) {
      if (depth >= DEEPEST || this.#height(type) === Infinity) continue;
      for (let count = this.#dice.below(3); count > 0; count--) {
        const name =
          key === "string"
            ? this.#dice.pick(["k", "another key", "Z9"])
            : key === "number"
              ? String(this.#dice.pick([0, 3, 10]))
              : this.#template(key, depth);
        if (!Object.hasOwn(result, name)) define(result, name, this.of(type, depth + 1));
      }
    }
    return result;
  }
}

/** Returns how deeply the smallest value of each type is nested. The number is infinite for a type that has no values. */
export function heights(graph: Graph): Map<number, number> {
  const ids = [...new Set(graph.nodes.map((_, id) => graph.resolve(id)))];
  const known = new Map<number, number>();
  const of = (id: number): number => known.get(graph.resolve(id)) ?? Infinity;
  const measure = (id: number): number => {
    const node = graph.get(id);
    switch (node.kind) {
      case "never":
      case "undefined":
      case "other":
        return Infinity;
      case "union":
        return Math.min(...graph.members(id).map(of));
      case "tuple":
        return 1 + Math.max(0, ...node.elements.filter((e) => !e.optional && !e.rest).map((e) => of(e.type)));
      case "object":
        return 1 + Math.max(0, ...node.properties.filter((p) => !p.optional).map((p) => of(p.type)));
      case "template":
        return Math.max(0, ...node.parts.map((part) => (typeof part === "number" ? of(part) : 0)));
      default:
        return 0;
    }
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const id of ids) {
      const height = measure(id);
      if (height < of(id)) {
        known.set(id, height);
        changed = true;
      }
    }
  }
  return known;
}

/** Returns true if the value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  );
}

/** Sets a property as `JSON.parse` does, so that `__proto__` is a normal key. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
