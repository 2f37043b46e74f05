import type { Scenario } from "../http/scenarios.ts";

/** Scenario of `bench/http`, with several requests that are sent in turn. */
export interface NotesScenario extends Scenario {
  /** Requests, which all have the same length. */
  readonly requests: readonly string[];
  /** True if the requests change rows. The databases are then filled again before each turn. */
  readonly writes?: boolean;
  /** Path whose response contains only stored data, so that the two servers must send the same bytes. */
  readonly path?: string;
}

/** Number of notes in each database. */
export const count = 1000;

/** Value of the header `authorization` in every request. */
export const token = "Bearer ada:user";

/** SQL statement that fills the table with the same rows each time, also if it contains rows. */
export const seed: string = `
  TRUNCATE notes;
  INSERT INTO notes (id, title, content, author_id, archived, created_at, updated_at)
    SELECT
      ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
      'Note ' || n, 'Milk, eggs, flour, and something for Sunday', 'ada', n % 7 = 0,
      timestamp '2026-01-01 10:00:00.5' + n * interval '1 second',
      timestamp '2026-01-02 10:00:00.25' + n * interval '1 second'
    FROM generate_series(1, ${count}) AS n`;

/**
 * SQL statement that updates statistics and removes dead rows, because the dead rows of the previous turn could
 * change query plans. The statement is separate, because VACUUM cannot run in a transaction.
 */
export const settle = "VACUUM ANALYZE notes";

function request(method: string, path: string, body?: unknown): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${token}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const ids = Array.from(
  { length: count },
  (_, index) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`,
);
const noteKeys = ["id", "title", "content", "authorId", "archived", "createdAt", "updatedAt"];
const content = "Milk, eggs, flour, and something for Sunday";

function scenario(
  name: string,
  status: number,
  requests: readonly string[],
  rest: Partial<NotesScenario> = {},
): NotesScenario {
  return { name, status, requests, request: requests[0] ?? "", body: {}, ...rest };
}

/** Scenarios of the benchmark. */
export const scenarios: readonly NotesScenario[] = [
  scenario("not-found", 404, [request("GET", "/nowhere")], { keys: ["error"] }),
  scenario("invalid-body", 400, [request("POST", "/notes", { title: "", content, archived: false })], {
    keys: ["error"],
  }),
  scenario("wrong-types", 400, [request("POST", "/notes", { title: "", content: 5, archived: "no" })], {
    keys: ["error"],
  }),
  scenario(
    "read",
    200,
    ids.map((id) => request("GET", `/notes/${id}`)),
    { keys: noteKeys, body: { id: ids[0], title: "Note 1", archived: false }, path: `/notes/${ids[0]}` },
  ),
  scenario("list", 200, [request("GET", "/notes?page=3&pageSize=20")], {
    keys: ["data", "pagination"],
    path: "/notes?page=3&pageSize=20",
  }),
  scenario(
    "change",
    200,
    ids.map((id) => request("PUT", `/notes/${id}`, { title: "Groceries for the weekend", archived: true })),
    {
      keys: noteKeys,
      body: { id: ids[0], title: "Groceries for the weekend", content, archived: true },
      writes: true,
    },
  ),
  scenario(
    "create",
    201,
    [request("POST", "/notes", { title: "Groceries for the weekend", content, archived: false })],
    {
      keys: noteKeys,
      body: { title: "Groceries for the weekend", content, authorId: "ada", archived: false },
      writes: true,
    },
  ),
];
