import type { TypeEntry } from "../project/known-types.ts";
import { toWire } from "../values/index.ts";

/** The values of `@unique` properties, and of ids, that a factory gave already. */
export class Unique {
  readonly #single: readonly string[];
  /** Together they name a row. */
  readonly #id: readonly string[];
  readonly #seen: Map<string, Set<string>> = new Map();

  constructor({ properties }: TypeEntry) {
    const tagged = (tag: string): string[] =>
      properties.filter(({ tags }) => tags.includes(tag)).map(({ name }) => name);
    this.#single = tagged("@unique");
    this.#id = tagged("@id");
  }

  /** The property whose value another one has already. */
  taken(value: unknown): string | undefined {
    return this.#keys(value).find(([name, key]) => this.#seen.get(name)?.has(key))?.[0];
  }

  /** Takes the values of one that is given away; gives it back. */
  keep<T>(value: T): T {
    for (const [name, key] of this.#keys(value)) {
      let seen = this.#seen.get(name);
      if (seen === undefined) this.#seen.set(name, (seen = new Set()));
      seen.add(key);
    }
    return value;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#seen.clear();
  }

  #keys(value: unknown): [name: string, key: string][] {
    if (typeof value !== "object" || value === null) return [];
    const read = (name: string): unknown => toWire(Reflect.get(value, name));
    const keys = this.#single
      // As in a table, nothing and `null` are no value.
      .filter((name) => read(name) !== undefined && read(name) !== null)
      .map((name): [string, string] => [name, JSON.stringify(read(name))]);
    const [first] = this.#id;
    if (first !== undefined) keys.push([first, JSON.stringify(this.#id.map(read))]);
    return keys;
  }
}
