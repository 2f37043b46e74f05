// Generates requests with garbage in their keys, references, numbers and strings.

import type { Route } from "../../differential/requests/routes.ts";
import type { Random } from "../../differential/support/random.ts";
import type { Sent } from "../../differential/support/request.ts";
import { type Kind, literal, query, text } from "./garbage.ts";

/** Keys of rows that were created. Some requests contain them instead of garbage. */
export class ExistingKeys {
  readonly #texts: string[] = [];
  readonly #values: unknown[] = [];

  /** Remembers the keys in a response body. */
  learn(body: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(body);
    } catch {
      return;
    }
    if (typeof answer !== "object" || answer === null) return;
    for (const [name, value] of Object.entries(answer)) {
      if (!/^(?:id|key)$|Id$/.test(name) || (typeof value !== "string" && typeof value !== "number"))
        continue;
      this.#values.push(value);
      this.#texts.push(encodeURIComponent(String(value)));
      if (this.#values.length > 60) {
        this.#values.shift();
        this.#texts.shift();
      }
    }
  }

  text(random: Random): string | undefined {
    return this.#texts.length === 0 ? undefined : random.pick(this.#texts);
  }

  value(random: Random): unknown {
    return this.#values.length === 0 ? undefined : random.pick(this.#values);
  }
}

/** Request, and the kinds of garbage that it contains. */
export interface Request {
  readonly sent: Sent;
  readonly kinds: readonly Kind[];
}

/** Returns a random request to one of the routes. */
export function request(
  routes: readonly Route[],
  random: Random,
  known: ExistingKeys,
  authorization: string,
): Request {
  const route = random.weighed(
    // Creates rows twice as often as it deletes them.
    ...routes.map((one): [number, Route] => [one.method === "DELETE" ? 1 : 2, one]),
  );
  const kinds: Kind[] = [];
  const slots = route.valid(random);
  const path = route.path.replaceAll(/[:*]\w+/g, () => {
    const there = known.text(random);
    if (there !== undefined && random.chance(0.45)) return there;
    const garbage = text(random);
    kinds.push(garbage.kind);
    return garbage.text;
  });
  let target = path;
  const valid = route.target({ query: slots.query });
  const validQuery = valid.includes("?") ? valid.slice(valid.indexOf("?") + 1) : "";
  const parts = validQuery === "" ? [] : validQuery.split("&");
  if (route.method === "GET" && random.chance(0.6)) {
    kinds.push("query");
    parts.push(query(random, route.keysOf("query")));
  }
  if (parts.length > 0) target += `?${parts.join("&")}`;
  const headers: [string, string][] = [
    ["host", "127.0.0.1"],
    ["authorization", authorization],
  ];
  let body: Buffer | undefined;
  if (route.hasBody) {
    headers.push(["content-type", "application/json"]);
    body = Buffer.from(spoiled(slots.body, random, known, kinds));
  }
  const kind = `${route.method} ${route.path} (${kinds.join(", ")})`;
  return {
    sent: { kind, method: route.method, target, headers, writes: false, ...(body !== undefined && { body }) },
    kinds,
  };
}

/** Returns a body as JSON, with garbage in up to four places. */
function spoiled(value: unknown, random: Random, known: ExistingKeys, kinds: Kind[]): string {
  let left = random.weighed([1, 0], [5, 1], [3, 2], [1, 4]);
  const write = (one: unknown, name: string): string => {
    if (typeof one === "object" && one !== null && !Array.isArray(one)) {
      const members = Object.entries(one).map(
        ([key, member]) => `${JSON.stringify(key)}:${write(member, key)}`,
      );
      return `{${members.join(",")}}`;
    }
    if (name.endsWith("Id") && random.chance(0.5))
      return JSON.stringify(known.value(random) ?? one) ?? "null";
    if (left > 0 && random.chance(0.4)) {
      left -= 1;
      const garbage = literal(random, one);
      kinds.push(garbage.kind);
      return garbage.json;
    }
    if (Array.isArray(one)) return `[${one.map((item: unknown) => write(item, "")).join(",")}]`;
    return JSON.stringify(one) ?? "null";
  };
  return write(value, "");
}
