import { fillRoutePath } from "@kit/core/router";

import { type HeaderValues, queryText, type TestClient } from "../client.ts";
import type { Slot } from "../coverage/contracts.ts";
import type { Fixture } from "../fixtures.ts";
import type { TestResponse } from "../test-response.ts";
import { missing, placed, stepsOf } from "../values/values-at-paths.ts";
import type { RouteTable } from "./tables.ts";

/** Value that replaces the one at a path of a valid request. */
export interface Change {
  readonly slot: Slot;
  readonly path: string;
  readonly given: unknown;
}

/** Values of a request: its params, query and body. */
export type Slots = Partial<Record<Slot, unknown>>;

/** Part of every unique string. It differs between test runs, so that the strings do not exist in a database that several runs use. */
const run = Date.now().toString(36);
let requests = 0;

/** Returns the values of a request: those of the valid request, overridden by the fixture, and then changed by `changes`. */
export function slotsOf(
  table: RouteTable,
  fixture: Omit<Fixture, "headers">,
  changes: readonly Change[],
): Slots {
  const slots: Slots = { ...table.request };
  for (const [name, text] of Object.entries(table.fresh ?? {})) {
    slots.body = placed(slots.body, [name], freshText(text));
  }
  for (const slot of ["params", "query", "body"] as const) {
    const given = fixture[slot];
    if (given === undefined) continue;
    const before = slots[slot];
    slots[slot] = { ...(typeof before === "object" ? before : {}), ...given };
  }
  for (const { slot, path, given } of changes) slots[slot] = placed(slots[slot], stepsOf(path), given);
  return slots;
}

function freshText(text: string): string {
  requests += 1;
  return text === "{uuid}"
    ? crypto.randomUUID()
    : text.replace("{}", `${run}${requests.toString(36)}`.slice(-14));
}

/** Sends a request to a route. `headers` override those of the configuration. If `text` is set, it is sent in place of the body. */
export function send(
  client: TestClient,
  table: RouteTable,
  slots: Slots,
  options: { readonly text?: string; readonly headers: HeaderValues },
): Promise<TestResponse> {
  const [method = "", path = ""] = table.route.split(" ");
  const { body } = slots;
  const query = (slots.query ?? {}) as Record<string, unknown>;
  return client.request(method, filled(path, slots.params), {
    headers: { ...table.headers, ...options.headers },
    query,
    ...(options.text === undefined ? {} : { text: options.text }),
    ...(body === undefined || body === missing || options.text !== undefined ? {} : { body }),
  });
}

/** Returns the query of a request without its question mark. */
export function rawQuery(slots: Slots): string {
  return queryText((slots.query ?? {}) as Record<string, unknown>).slice(1);
}

/** Returns a path pattern with its parameters replaced: `/notes/:id` gives `/notes/7`. Slashes in the value of a wildcard stay. */
export function filled(path: string, params: unknown): string {
  return fillRoutePath(path, (name) => textOf(params, name));
}

/** Returns the value of a path parameter without percent escapes, or `1` if the parameter has no value. */
export function textOf(params: unknown, name: string): string {
  const given = typeof params === "object" && params !== null && Object.hasOwn(params, name);
  return String(given ? Reflect.get(params, name) : "1");
}
