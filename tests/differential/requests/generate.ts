import { Random } from "../support/random.ts";
import type { Sent } from "../support/request.ts";
import * as heads from "./heads.ts";
import { anything, mutated, nestedDeeply, written } from "./json.ts";
import { raw } from "./raw.ts";
import type { Route, Slots } from "./routes.ts";

/** Maximum size in bytes of a body that the two servers accept. */
const LIMIT = 1024 * 1024;

/** Parts from which requests are generated. */
export interface Material {
  readonly routes: readonly Route[];
  /** Names of properties that occur in bodies of the contracts. */
  readonly keys: readonly string[];
  readonly queryKeys: readonly string[];
  /** Names of headers and cookies that contracts declare. */
  readonly headerNames: readonly string[];
  readonly cookieNames: readonly string[];
  /** True if the servers store data, so that a request can change later responses. */
  readonly remembers: boolean;
  /** Returns a path parameter as it is written in a path. `made` is the approximate number of notes that were created before. */
  readonly parameter: (random: Random, made: number) => string;
  /** Returns any path, whether or not a contract has it. */
  readonly path: (random: Random, made: number) => string;
}

/** Request that is being generated. */
interface Draft {
  kind: string;
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  chunks: number | undefined;
  version: string | undefined;
  cuts: readonly number[] | undefined;
}

/** Function that changes a request in any way. */
type Mutation = (draft: Draft, random: Random, material: Material, made: number) => void;

/** Methods whose routes store data if the request has a body. */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** Returns the request with this number. The seed and the number determine the request. */
export function requestOf(material: Material, seed: number, index: number): Sent {
  const random = new Random(seed, index);
  // The approximate number of notes. With it, some ids in requests exist, and others do not exist yet or no longer.
  const made = Math.ceil(index / 16);
  if (random.chance(0.04)) return raw(random);
  const draft = base(material, random, made);
  for (let count = random.weighed([11, 0], [7, 1], [2, 2]); count > 0; count -= 1) {
    const [name, twist] = random.weighed(...twistsFor(material));
    draft.kind += `, ${name}`;
    twist(draft, random, material, made);
  }
  // Adds the header `Host`, unless a mutation has set one.
  if (!draft.headers.some(([name]) => name.toLowerCase() === "host"))
    draft.headers.unshift(["host", "127.0.0.1"]);
  const { body, chunks, version, cuts, ...rest } = draft;
  // The last random numbers, so that requests of earlier seeds stay the same. The server on Node aborts the query of a client that has
  // closed its sending side (decision 0024), so a response from a database depends on the time that the query takes.
  const endsAfter =
    !material.remembers && random.chance(0.015) ? random.pick([1, 1, random.next()]) : undefined;
  if (endsAfter !== undefined) rest.kind += endsAfter === 1 ? ", half-closed" : ", cut off";
  // A client that sends its request slowly.
  const slow =
    endsAfter === undefined && random.chance(0.01)
      ? Array.from({ length: random.int(8, 24) }, () => random.next()).toSorted((a, b) => a - b)
      : undefined;
  if (slow !== undefined) rest.kind += ", slow";
  const pieces = slow ?? cuts;
  return {
    ...rest,
    writes: material.remembers && mayWrite(material, draft),
    ...(body === undefined ? {} : { body }),
    ...(chunks === undefined || body === undefined ? {} : { chunks }),
    ...(version === undefined ? {} : { version }),
    ...(pieces === undefined ? {} : { cuts: pieces }),
    ...(endsAfter === undefined ? {} : { endsAfter }),
  };
}

/** Returns true if a request may change the database. A request that no route accepts cannot, so it may run at the same time as others. */
function mayWrite({ routes }: Material, { method, body }: Draft): boolean {
  if (!WITH_BODY.has(method)) return method === "DELETE";
  if (body === undefined) return false;
  try {
    const value = JSON.parse(body.toString()) as unknown;
    return routes.some((route) => route.takes(value));
  } catch {
    return false;
  }
}

function base(material: Material, random: Random, made: number): Draft {
  // Creates notes twice as often as it deletes them.
  const route = random.weighed(
    ...material.routes.map((one): [number, Route] => [one.method === "DELETE" ? 1 : 2, one]),
  );
  const how = random.weighed([3, "valid"], [4, "spoiled"], [3, "mutated"], [2, "anything"], [1, "deep"]);
  const slots = how === "spoiled" ? route.spoiled(random) : route.valid(random);
  // A contract that accepts any string as an id gets mostly ids of created rows, others get half of their parameters from the contract.
  const keepsParams = how === "spoiled" || random.chance(material.remembers ? 0.1 : 0.5);
  const params = keepsParams ? slots.params : undefined;
  const target =
    params === undefined && route.path.includes(":")
      ? route.target(slots).replace(
          filledPath(route, slots),
          route.path.replaceAll(/:\w+/g, () => material.parameter(random, made)),
        )
      : route.target(slots);
  const draft: Draft = {
    kind: `${how} ${route.method} ${route.path}`,
    method: route.method,
    target,
    headers: [["authorization", `Bearer ${random.pick(["ada", "bob"])}:user`]],
    body: undefined,
    chunks: undefined,
    version: undefined,
    cuts: undefined,
  };
  for (const [name, value] of route.headers(slots, random)) set(draft, name, value);
  if (!route.hasBody) return draft;
  draft.headers.push(["content-type", "application/json"]);
  draft.body = bodyOf(how, slots, material, random);
  return draft;
}

/** Returns the path of a request without its query. */
function filledPath(route: Route, slots: Slots): string {
  return route.target({ ...slots, query: undefined });
}

function bodyOf(how: string, { body }: Slots, { keys }: Material, random: Random): Buffer {
  switch (how) {
    case "mutated":
      return mutated(written(body, random), random);
    case "anything":
      return Buffer.from(written(anything(random, keys), random));
    case "deep":
      return Buffer.from(nestedDeeply(random, keys));
    default:
      return Buffer.from(typeof body === "symbol" || body === undefined ? "" : written(body, random));
  }
}

function set(draft: Draft, name: string, value: string | undefined): void {
  draft.headers = draft.headers.filter(([known]) => known !== name);
  if (value !== undefined) draft.headers.push([name, value]);
}

/** Returns the changes that have an effect for a program. A change without an effect would only make the others rarer. */
function twistsFor({ headerNames, cookieNames }: Material): typeof TWISTS {
  return TWISTS.filter(
    ([, [name]]) =>
      (name !== "declared headers" || headerNames.length > 0) &&
      (name !== "declared cookies" || cookieNames.length > 0),
  );
}

const TWISTS: readonly (readonly [weight: number, twist: readonly [name: string, Mutation]])[] = [
  [3, ["who", (draft, random) => set(draft, "authorization", heads.authorization(random))]],
  [3, ["content type", (draft, random) => set(draft, "content-type", heads.contentType(random))]],
  [
    5,
    [
      "more headers",
      (draft, random) =>
        draft.headers.push(
          ...heads.moreHeaders(random).map(([name, value]): [string, string] => [name, value]),
        ),
    ],
  ],
  [
    2,
    [
      "names of headers",
      (draft, random) => {
        draft.headers = draft.headers.map(([name, value]) => [heads.inAnyCase(name, random), value]);
      },
    ],
  ],
  [
    5,
    [
      "declared headers",
      (draft, random, { headerNames }) => {
        if (headerNames.length === 0) return;
        for (let count = random.int(1, 3); count > 0; count -= 1)
          draft.headers.push([random.pick(headerNames), heads.fieldValue(random)]);
      },
    ],
  ],
  [
    4,
    [
      "declared cookies",
      (draft, random, { cookieNames }) => {
        if (cookieNames.length > 0) draft.headers.push(["cookie", heads.cookies(random, cookieNames)]);
      },
    ],
  ],
  [1, ["host", (draft, random) => set(draft, "host", heads.host(random))]],
  [
    3,
    [
      "method",
      (draft, random) => {
        draft.method = heads.method(random);
      },
    ],
  ],
  [
    4,
    [
      "path",
      (draft, random, material, made) => {
        const [, query] = /\?(.*)$/s.exec(draft.target) ?? [];
        draft.target = material.path(random, made) + (query === undefined ? "" : `?${query}`);
      },
    ],
  ],
  [
    4,
    [
      "query",
      (draft, random, { queryKeys }) => {
        draft.target = `${draft.target.replace(/\?.*$/s, "")}?${heads.query(random, queryKeys)}`;
      },
    ],
  ],
  [
    2,
    [
      "chunks",
      (draft, random) => {
        draft.body ??= Buffer.from(random.pick(["", "{}", "x"]));
        draft.chunks = random.pick([1, 2, 7, 100, 4096]);
        if (draft.body.length > 20_000) draft.chunks = 4096;
      },
    ],
  ],
  [
    2,
    [
      "body",
      (draft, random) => {
        draft.body = random.weighed<Buffer | undefined>(
          [2, undefined],
          [2, Buffer.alloc(0)],
          [2, Buffer.from("{}")],
          [2, Buffer.from('{"title":"t","content":"c"}')],
          [1, Buffer.from(" ")],
          [1, Buffer.from([0xff, 0xfe, 0])],
        );
      },
    ],
  ],
  [
    0.12,
    [
      "large body",
      (draft, random) => {
        const length = LIMIT + random.pick([-1, 0, 1, 2, 4096, 500_000]);
        const start = random.pick(['{"title":"t","content":"c","more":"', '{"title":"', "[1,", " "]);
        draft.body = Buffer.alloc(length, random.pick(["x", " ", "1", "é", "{"]));
        draft.body.write(start);
      },
    ],
  ],
  [
    2,
    [
      "pieces",
      (draft, random) => {
        draft.cuts = Array.from({ length: random.int(1, 3) }, () => random.next()).toSorted((a, b) => a - b);
      },
    ],
  ],
  [
    1,
    [
      "HTTP/1.0",
      (draft) => {
        draft.version = "HTTP/1.0";
        draft.chunks = undefined;
      },
    ],
  ],
];
