import { knownId } from "./app/src/store.ts";

/** One request that is sent again and again, and what its answer must be. */
export interface Scenario {
  readonly name: string;
  readonly request: string;
  readonly status: number;
  /** What the answer's JSON must contain, whoever answers. */
  readonly body: Readonly<Record<string, unknown>>;
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

/** What is measured. The names are those of every HTTP benchmark of kit. */
export const scenarios: readonly Scenario[] = [
  { name: "get-static", request: get("/health"), status: 200, body: { status: "ok" } },
  {
    name: "get-param",
    request: get(`/notes/${knownId}`, auth),
    status: 200,
    body: { id: knownId, title: "Groceries", createdAt: "2026-01-01T10:00:00.000Z" },
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
  },
  {
    name: "invalid-body",
    request: post("/notes", { title: "", content: 5, archived: "no" }),
    status: 400,
    body: {},
  },
  { name: "not-found", request: get("/nowhere"), status: 404, body: {} },
];
