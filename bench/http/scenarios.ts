import { knownId } from "./app/src/store.ts";

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
];
