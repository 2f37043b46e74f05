import { explain, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import { filled, rawQuery } from "../../../packages/testing/src/contracts/request.ts";
import { missing } from "../../../packages/testing/src/values/values-at-paths.ts";
import type { ContractParts, Contracts } from "../../../packages/testing/src/coverage/contracts.ts";
import {
  arbitrary,
  NoValueError,
  invalidate,
  violations,
} from "../../../packages/testing/src/values/index.ts";
import type { Random } from "../support/random.ts";

/** Slots of a request, as decoded values. */
export interface Slots {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly cookies?: unknown;
  readonly body?: unknown;
}

const SLOTS = ["params", "query", "headers", "cookies", "body"] as const;

/** Route of the contracts, with functions that generate requests to the route. */
export class Route {
  readonly method: string;
  /** Path pattern, such as `/notes/:id`. */
  readonly path: string;
  readonly hasBody: boolean;
  readonly hasQuery: boolean;
  readonly #parts: ContractParts;
  readonly #arbitraries: Map<Shape, fc.Arbitrary<unknown>> = new Map();

  constructor(parts: ContractParts) {
    const [method = "", path = ""] = parts.route.split(" ");
    this.method = method;
    this.path = path;
    this.hasBody = parts.body !== undefined;
    this.hasQuery = parts.query !== undefined;
    this.#parts = parts;
  }

  /** Returns values that the contract accepts. */
  valid(random: Random): Slots {
    const slots: Partial<Record<(typeof SLOTS)[number], unknown>> = {};
    for (const slot of SLOTS) {
      const shape = this.#parts[slot];
      if (shape !== undefined) slots[slot] = drawn(this.#arbitrary(shape), random);
    }
    return slots;
  }

  /** Returns values that break one or more rules of the contract. */
  spoiled(random: Random): Slots {
    const slots = { ...this.valid(random) } as Record<string, unknown>;
    const present = SLOTS.filter((slot) => this.#parts[slot] !== undefined);
    if (present.length === 0) return slots;
    for (let count = random.weighed([6, 1], [2, 2], [1, 4]); count > 0; count -= 1) {
      const slot = random.pick(present);
      const shape = this.#parts[slot] as Shape;
      const places = violations(shape, slots[slot]);
      if (places.length === 0) continue;
      const place = random.pick(places);
      try {
        const spoiled = invalidate(shape, slots[slot], place, drawn(place.given, random));
        if (spoiled !== undefined) slots[slot] = spoiled.value;
      } catch (error) {
        // For some rules, no value breaks them.
        if (!(error instanceof NoValueError)) throw error;
      }
    }
    return slots;
  }

  /** Returns true if the contract accepts the body. */
  takes(body: unknown): boolean {
    const shape = this.#parts.body;
    return shape !== undefined && explain(shape, body, "wire", 1).length === 0;
  }

  /** Returns the names of all properties in a slot, also in nested objects. */
  keysOf(slot: "query" | "headers" | "cookies" | "body"): readonly string[] {
    const shape = this.#parts[slot];
    const keys = new Set<string>();
    if (shape !== undefined) collectKeys(shape, keys, new Set());
    return [...keys];
  }

  /** Returns the request target for these values: the path with its query. */
  target({ params, query }: Slots): string {
    const text = query === undefined || query === missing ? "" : rawQuery({ query });
    return filled(this.path, params) + (text === "" ? "" : `?${text}`);
  }

  /** Returns the declared headers of a request for these values, and the header `cookie` if there are cookies. */
  headers({ headers, cookies }: Slots, random: Random): [name: string, value: string][] {
    const lines = sentMembers(headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.map(fieldText).join(random.pick([",", ", ", " ,\t"])) : fieldText(value),
    ]);
    const pairs = sentMembers(cookies).map(([name, value]) => {
      const text = textOf(value).toWellFormed();
      return `${name}=${random.chance(0.7) ? encodeURIComponent(text) : fieldText(text)}`;
    });
    if (pairs.length > 0) lines.push(["cookie", pairs.join(random.pick(["; ", ";", "  ; "]))]);
    return lines;
  }

  /** Creates the generator of values for a shape. Each is created once, because the analysis of the shape takes most of the time. */
  #arbitrary(shape: Shape): fc.Arbitrary<unknown> {
    let known = this.#arbitraries.get(shape);
    if (known === undefined) this.#arbitraries.set(shape, (known = arbitrary(shape)));
    return known;
  }
}

/** Returns the routes of the contracts that `kit build` wrote to `.kit/tests/contracts.ts`. */
export function routesOf({ routes }: Contracts): readonly Route[] {
  return routes.map((parts) => new Route(parts));
}

/** Returns the names of all properties in a slot of any route. */
export function keysOf(
  routes: readonly Route[],
  slot: "query" | "headers" | "cookies" | "body",
): readonly string[] {
  return [...new Set(routes.flatMap((route) => route.keysOf(slot)))];
}

/** Returns the names and values of the properties that a request contains. */
function sentMembers(slot: unknown): [name: string, value: unknown][] {
  if (typeof slot !== "object" || slot === null) return [];
  return Object.entries(slot).filter(([, value]) => value !== undefined && value !== missing);
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Returns the text of a value in a header. Characters that cannot be a part of a header are replaced. */
function fieldText(value: unknown): string {
  return textOf(value).replaceAll(/[^\t\x20-\x7e\x80-\xff]/gu, "?");
}

function collectKeys(shape: Shape, keys: Set<string>, visited: Set<Shape>): void {
  if (visited.has(shape)) return;
  visited.add(shape);
  switch (shape.kind) {
    case "reference":
      return collectKeys(shape.to(), keys, visited);
    case "array":
      return collectKeys(shape.element, keys, visited);
    case "tuple":
      for (const element of shape.elements) collectKeys(element.shape, keys, visited);
      return;
    case "union":
      for (const member of shape.members) collectKeys(member, keys, visited);
      return;
    case "object":
      for (const property of shape.properties) {
        keys.add(property.key);
        collectKeys(property.shape, keys, visited);
      }
      for (const signature of shape.index ?? []) collectKeys(signature.shape, keys, visited);
      return;
    default:
  }
}

function drawn(values: fc.Arbitrary<unknown>, random: Random): unknown {
  return fc.sample(values, { seed: random.int(0, 0x7fffffff), numRuns: 1 })[0];
}
