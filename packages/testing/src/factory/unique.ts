import type { TypeEntry } from "../project/known-types.ts";
import { toWire } from "../values/index.ts";

/** Values of `@unique` and `@id` properties that a factory has already returned. */
export class Unique {
  readonly #single: readonly string[];
  /** Names of the `@id` properties, which together identify a row. */
  readonly #id: readonly string[];
  readonly #seen: Map<string, Set<string>> = new Map();

  constructor({ properties }: TypeEntry) {
    const tagged = (tag: string): string[] =>
      properties.filter(({ tags }) => tags?.includes(tag) === true).map(({ name }) => name);
    this.#single = tagged("@unique");
    this.#id = tagged("@id");
  }

  /** Returns the name of a unique property whose value was returned before, or `undefined` if there is none. */
  findDuplicate(value: unknown): string | undefined {
    return this.#keys(value).find(([name, key]) => this.#seen.get(name)?.has(key))?.[0];
  }

  /** Stores the unique properties of a new value. Returns the value. */
  add<T>(value: T): T {
    for (const [name, key] of this.#keys(value)) {
      let seen = this.#seen.get(name);
      if (seen === undefined) this.#seen.set(name, (seen = new Set()));
      seen.add(key);
    }
    return value;
  }

  /** Forgets all stored values. */
  clear(): void {
    this.#seen.clear();
  }

  #keys(value: unknown): [name: string, key: string][] {
    if (typeof value !== "object" || value === null) return [];
    const read = (name: string): unknown => toWire(Reflect.get(value, name));
    const keys = this.#single
      // `undefined` and `null` may repeat, like `NULL` in a unique column.
      .filter((name) => read(name) !== undefined && read(name) !== null)
      .map((name): [string, string] => [name, JSON.stringify(read(name))]);
    const [first] = this.#id;
    if (first !== undefined) keys.push([first, JSON.stringify(this.#id.map(read))]);
    return keys;
  }
}
