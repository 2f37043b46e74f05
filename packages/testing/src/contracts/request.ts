import { fillRoutePath } from "@kit/core/router";

import { queryText } from "../client.ts";
import type { HeaderTexts } from "../header-texts.ts";
import type { Slot } from "../coverage/contracts.ts";
import type { Fixture } from "../fixtures.ts";
import type { TestResponse } from "../test-response.ts";
import { missing, placed, stepsOf } from "../values/values-at-paths.ts";
import { type Content, contentOf } from "./contents.ts";
import type { Running } from "./running.ts";
import type { RouteTable } from "./tables.ts";

/** Milliseconds for which tests read a stream that has not ended. */
const STREAM_MS = 1000;

const keyHeader = "idempotency-key";

/** Values of this header in valid requests that a UUID can replace: texts without rules, and UUIDs. */
const sampleKey = /^(?:idempotency key|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Value of the header `content-type` in valid requests if its declared type is a text without rules. */
const sampleType = "content type";

/** New value for a path of a valid request. */
export interface Change {
  readonly slot: Slot;
  readonly path: string;
  readonly given: unknown;
}

/** Values of a request: its params, query, headers, cookies and body. */
export type Slots = Partial<Record<Slot, unknown>>;

/**
 * Part of every unique string. The part differs between test runs, so that the strings do not exist in a database that several runs
 * use.
 */
const run = Date.now().toString(36);
let requests = 0;

/**
 * Returns the values of a request: the values of the valid request, overridden by the values of the fixture, and then
 * changed by `changes`.
 */
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
    const given = slot === "body" ? bodyOf(table, fixture) : fixture[slot];
    if (given === undefined) continue;
    const before = slots[slot];
    const isObject = typeof given === "object" && !Array.isArray(given) && !(given instanceof Uint8Array);
    slots[slot] = isObject ? { ...(typeof before === "object" ? before : {}), ...given } : given;
  }
  for (const { slot, path, given } of changes) slots[slot] = placed(slots[slot], stepsOf(path), given);
  return slots;
}

/** Returns the body of a fixture. For a contract with a union of formats, the body is `{ type, value }`. */
function bodyOf({ choice }: RouteTable, { body }: Omit<Fixture, "headers">): Fixture["body"] {
  if (choice === undefined || body === undefined) return body;
  const { type, value } = body as { readonly type?: unknown; readonly value?: Fixture["body"] };
  return type === choice.type ? value : undefined;
}

function freshText(text: string): string {
  requests += 1;
  return text === "{uuid}"
    ? crypto.randomUUID()
    : text.replace("{}", `${run}${requests.toString(36)}`.slice(-14));
}

/**
 * Sends a request to a route. `headers` override the headers of the client and of the configuration. If `text` is set, it is sent in place
 * of the body.
 *
 * The headers and cookies of `slots` override all these headers only if they differ from the table's valid request.
 * This way, a fixture can replace the header `x-tenant` of valid requests, and a test of an invalid or missing
 * `x-tenant` still sends the invalid value, or none.
 */
export async function send(
  app: Pick<Running, "client" | "defaultHeaders">,
  table: RouteTable,
  slots: Slots,
  options: {
    readonly text?: string;
    readonly content?: Content;
    readonly headers: HeaderTexts;
    readonly defaultHeaders?: boolean;
  },
): Promise<TestResponse> {
  const [method = "", path = ""] = table.route.split(" ");
  const { body } = slots;
  const query = (slots.query ?? {}) as Record<string, unknown>;
  const kinds = table.replies?.flatMap(({ content }) =>
    (content?.choices ?? [content]).map((choice) => choice?.kind),
  );
  const isEndless = kinds?.some((kind) => kind === "events" || kind === "lines");
  const { "content-type": defaultType, ...defaults } =
    options.defaultHeaders === false ? {} : await app.defaultHeaders();
  const headers = headersOf(table, slots, options.headers, defaults);
  const usual = defaultType === undefined ? {} : { "content-type": defaultType };
  const limit = {
    ...(isEndless === true ? { readMs: STREAM_MS } : {}),
    defaultHeaders: false,
  };
  if (table.format !== undefined && options.text === undefined) {
    const content = options.content ?? contentOf(table.format, body);
    const type = content.type === undefined ? {} : { "content-type": content.type };
    return app.client.request(method, filled(path, slots.params), {
      headers: { ...usual, ...type, ...headers },
      query,
      ...limit,
      ...(content.body === undefined ? {} : { body: content.body }),
    });
  }
  return app.client.request(method, filled(path, slots.params), {
    headers: { ...usual, ...headers },
    query,
    ...limit,
    ...(options.text === undefined ? {} : { text: options.text }),
    ...(body === undefined || body === missing || options.text !== undefined ? {} : { body }),
  });
}

/**
 * Returns the headers of a request. `given` are those of the fixture. They override those of the configuration for the route, which override
 * `defaults`, those of the client.
 */
export function headersOf(
  table: RouteTable,
  slots: Slots,
  given: HeaderTexts,
  defaults: HeaderTexts = {},
): HeaderTexts {
  const valid = textsOf(table.request?.headers);
  const own = textsOf(slots.headers);
  const ofRoute = Object.entries(table.headers ?? {}).map(([name, text]) => [name.toLowerCase(), text]);
  const result: Record<string, string> = {
    ...own,
    ...defaults,
    ...(Object.fromEntries(ofRoute) as HeaderTexts),
    ...given,
  };
  for (const name of new Set([...Object.keys(valid), ...Object.keys(own)])) {
    const text = own[name];
    if (text === undefined) delete result[name];
    else if (text !== valid[name]) result[name] = text;
  }
  // A key belongs to one request. Tests of the key itself keep their value.
  const key = valid[keyHeader];
  if (key !== undefined && result[keyHeader] === key && sampleKey.test(key))
    result[keyHeader] = crypto.randomUUID();
  // The server reads the body by this header, so a text without rules would be refused with 415.
  if (valid["content-type"] === sampleType && result["content-type"] === sampleType) {
    if (table.format === undefined) result["content-type"] = "application/json";
    // `send` or `fetch` sets the type of a body that is not JSON.
    else delete result["content-type"];
  }
  const cookies = cookieText(table, slots, result["cookie"]);
  if (cookies !== "") result["cookie"] = cookies;
  else if (table.request?.cookies !== undefined) delete result["cookie"];
  return result;
}

/**
 * Returns the value of the header `cookie`. `given` is the header `cookie` of the fixture; its cookies override only cookies of
 * the valid request.
 */
function cookieText(table: RouteTable, slots: Slots, given = ""): string {
  const valid = pairsOf(table.request?.cookies);
  const own = pairsOf(slots.cookies);
  const changed = new Set(
    [...valid.keys(), ...own.keys()].filter((name) => valid.get(name) !== own.get(name)),
  );
  const others = given.split(/; ?/).filter((pair) => pair !== "" && !changed.has(pair.split("=")[0] ?? ""));
  const names = new Set(others.map((pair) => pair.split("=")[0]));
  const sent = [...own].filter(([name]) => changed.has(name) || !names.has(name));
  return [...sent.map(([name, text]) => `${name}=${text}`), ...others].join("; ");
}

function pairsOf(cookies: unknown): Map<string, string> {
  const entries = Object.entries((cookies ?? {}) as Record<string, unknown>);
  const texts = entries.filter(([, value]) => value !== undefined);
  return new Map(texts.map(([name, value]) => [name, encodeURIComponent(String(value))]));
}

/** Returns the headers of a request as text, by lower-case name. The items of a list are joined by commas. */
export function textsOf(headers: unknown): Record<string, string> {
  const entries = Object.entries((headers ?? {}) as Record<string, unknown>);
  const texts = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    texts.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

/** Returns the value of the header `cookie` for the cookies of a request. `undefined` if there are none. */
export function cookieHeader(cookies: unknown): string | undefined {
  const pairs = [...pairsOf(cookies)].map(([name, text]) => `${name}=${text}`);
  return pairs.length === 0 ? undefined : pairs.join("; ");
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
