import { knownId } from "./app/src/store.ts";
import { allowedOrigin, entries, type Feature } from "./subjects/edge.ts";
import type { IdentityFeature } from "./subjects/identity.ts";
import { tokens } from "./tokens.ts";

/** Request that is sent repeatedly, with the expected response. */
export interface Scenario {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  /** Properties that the JSON of every subject's response must contain. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Names of all properties of that JSON, if they are known. */
  readonly keys?: readonly string[];
  /** Headers that the response must have. Their names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the scenario reads PostgreSQL. */
  readonly isStored?: boolean;
  /** True if the option `--quick` includes the scenario. */
  readonly isQuick?: boolean;
  /** Feature of HTTP that the scenario measures. The subjects run it in processes of their own, without other features. */
  readonly feature?: Feature;
  /** Identity or rate limit that the scenario measures. The subjects run it in processes of their own. */
  readonly identity?: IdentityFeature;
  /** Request that begins a session. Its cookie takes the place of `{cookie}` in the request. */
  readonly login?: string;
  /** True if the request has `{etag}`, in place of which each subject gets the entity tag of its own response. */
  readonly isRevalidation?: boolean;
  /** True if the body of the response is compressed with gzip. */
  readonly isCompressed?: boolean;
  /** Number of items, if the JSON of the response is a list. */
  readonly items?: number;
}

const host = "host: 127.0.0.1\r\n";
const auth = "authorization: Bearer ada:user\r\n";

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`;
}

function post(path: string, body: unknown): string {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `POST ${path} HTTP/1.1\r\n${host}${auth}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
}

const note = ["id", "title", "content", "authorId", "archived", "createdAt", "updatedAt"];

/** Scenarios of the benchmark. Every HTTP benchmark of kit uses the same names. */
export const scenarios: readonly Scenario[] = [
  {
    name: "get-static",
    request: get("/health"),
    status: 200,
    body: { status: "ok" },
    keys: ["status"],
    isQuick: true,
  },
  {
    name: "get-param",
    request: get(`/notes/${knownId}`, auth),
    status: 200,
    body: { id: knownId, title: "Groceries", createdAt: "2026-01-01T10:00:00.000Z" },
    keys: note,
    isQuick: true,
  },
  {
    name: "post-validate",
    request: post("/notes", {
      title: "Groceries for the weekend",
      content: "Milk, eggs, flour, and something for Sunday",
      archived: false,
      extra: 1,
    }),
    status: 201,
    body: { title: "Groceries for the weekend", authorId: "ada", archived: false },
    keys: note,
    isQuick: true,
  },
  {
    name: "middleware-5",
    request: get("/account", `${auth}x-tenant: acme\r\naccept-language: en-GB,en;q=0.9\r\n`),
    status: 200,
    body: { userId: "ada", tenant: "acme", locale: "en-GB" },
    keys: ["userId", "tenant", "locale", "used"],
    headers: { "cache-control": "no-store" },
  },
  {
    name: "invalid-body",
    request: post("/notes", { title: "", content: 5, archived: "no" }),
    status: 400,
    body: {},
    keys: ["error"],
  },
  { name: "not-found", request: get("/nowhere"), status: 404, body: {}, keys: ["error"] },
  {
    name: "db-read",
    request: get(`/stored-notes/${knownId}`, auth),
    status: 200,
    body: { id: knownId, title: "Note 1", createdAt: "2026-01-01T10:00:00.000Z" },
    keys: note,
    isStored: true,
  },
  {
    name: "cors",
    feature: "cors",
    request: get("/note", `origin: ${allowedOrigin}\r\n`),
    status: 200,
    body: { id: knownId, title: "Groceries" },
    keys: note,
    headers: { "access-control-allow-origin": allowedOrigin },
  },
  {
    name: "typed-headers",
    feature: "contract",
    request: get(
      "/context",
      `x-tenant: acme\r\nx-count: 7\r\nx-trace: ${knownId}\r\ncookie: theme=dark; sid=0123456789abcdef\r\n`,
    ),
    status: 200,
    body: { tenant: "acme", count: 7, trace: knownId, sid: "0123456789abcdef" },
    keys: ["tenant", "count", "trace", "sid"],
  },
  {
    name: "two-replies",
    feature: "contract",
    request: post("/orders", { item: "Groceries for the weekend", quantity: 3 }),
    status: 201,
    body: { id: 1, item: "Groceries for the weekend", quantity: 3 },
    keys: ["id", "item", "quantity"],
    headers: { location: "/orders/1", "x-version": "1" },
  },
  {
    name: "etag-hit",
    feature: "etag",
    request: get("/note", "if-none-match: {etag}\r\n"),
    status: 304,
    body: {},
    isRevalidation: true,
  },
  {
    name: "gzip-10k",
    feature: "compression",
    request: get("/entries", "accept-encoding: gzip\r\n"),
    status: 200,
    body: {},
    headers: { "content-encoding": "gzip" },
    isCompressed: true,
    items: entries.length,
  },
  identityScenario("jwt-secret", `authorization: Bearer ${tokens.secret}\r\n`),
  identityScenario("jwt-rsa", `authorization: Bearer ${tokens.rsa}\r\n`),
  {
    ...identityScenario("session", "cookie: {cookie}\r\n"),
    login: `POST /login HTTP/1.1\r\n${host}x-forwarded-proto: https\r\ncontent-length: 0\r\n\r\n`,
  },
  identityScenario("limit", ""),
  identityScenario("limit-valkey", ""),
];

/** Returns a scenario that reads a note behind the middleware of a feature. */
function identityScenario(identity: IdentityFeature, headers: string): Scenario {
  return {
    name: identity,
    identity,
    request: get("/note", headers),
    status: 200,
    body: { id: knownId, title: "Groceries" },
    keys: note,
  };
}
