// Builds an application with a list that is read with cursors. The generated contract tests must pass, and must fail for
// lists that lose or repeat an item, or that accept forged cursors.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Project } from "../e2e/support/project.ts";
import { redocly, stoplight } from "../openapi/linters.ts";
import { passingTests, projectFiles } from "./project-files.ts";

/** Handlers of a list in memory. `defineKeyset` makes the cursors, and the text of its SQL selects the rows. */
const handlers = `import { defineHandlers } from "@kit/core";
import { defineKeyset } from "@kit/core/keyset";
import type { NoteRoutes } from "./notes.routes.ts";

const notes = Array.from({ length: 9 }, (_, id) => ({ id, text: id % 2 === 0 ? "even" : "odd" }));
const byId = defineKeyset({ list: "notes", order: "asc", columns: { id: "integer" } });

export const noteHandlers = defineHandlers<NoteRoutes>({
  "GET /notes": ({ query }) => {
    const page = byId.page(query);
    let [position] = [] as string[];
    const condition = page.where((texts, value) => ((position = value as string), texts[0]));
    const isBackward = condition?.includes("<");
    const found = notes
      .filter(({ id, text }) => {
        if (query.text !== undefined && text !== query.text) return false;
        if (position === undefined) return true;
        return isBackward ? id < Number(position) : id > Number(position);
      })
      .map((note) => ({ ...note, cursorKey: JSON.stringify([\`\${note.id}\`]) }));
    if (isBackward) found.reverse();
    return page.of(found.slice(0, page.limit));
  },
});
`;

const files = new Map<string, string>([
  ...projectFiles("notes", ["client", "core", "server-native", "testing", "types"]),
  [
    "src/notes.routes.ts",
    `import type { Cursor, CursorQuery, Route } from "@kit/types";

export interface Note {
  /** @integer */
  id: number;
  /** @maxLength 10 */
  text: string;
}

export interface NoteQuery extends CursorQuery {
  text?: "even" | "odd";
}

/** Notes. */
export interface NoteRoutes {
  /**
   * Lists notes.
   *
   * @summary List notes
   * @throws NOTES_CLOSED 404 There are no notes today.
   */
  "GET /notes": Route<{ query: NoteQuery; response: Cursor<Note> }>;
}
`,
  ],
  ["src/notes.handlers.ts", handlers],
  [
    "src/app.ts",
    `import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { noteHandlers } from "./notes.handlers.ts";

export const app = createApp({ server: nativeServer(), routes: [{ handlers: noteHandlers }] });
`,
  ],
  [
    "src/client.ts",
    `import { createClient, type Routes } from "../.kit/client/index.ts";

const api = createClient<Routes>({ baseUrl: "http://localhost:3000" });

export async function texts(): Promise<string[]> {
  const found: string[] = [];
  for await (const note of api.get("/notes", { query: { text: "odd", limit: 2 } }).items()) found.push(note.text);
  const result = await api.get("/notes", { query: { cursor: "x" } }).result();
  if (!result.ok && result.error.code === "INVALID_CURSOR") found.push(String(result.error.status satisfies 400));
  return found;
}
`,
  ],
]);

describe("an application with a list that is read with cursors", () => {
  let project: Project;
  before(async () => {
    project = await Project.of(files);
    await project.kitOk("build");
  });
  after(() => project.remove());

  test("compiles, and passes all generated contract tests without skipping a test", async () => {
    const output = await passingTests(project);
    assert.match(output, /follows cursors without repeating or losing an item/);
    assert.match(output, /refuses cursors that the server did not make/);
    assert.doesNotMatch(output, /one page only/);
    // The declared 400 was sent.
    assert.doesNotMatch(output, /no request got the response 400/);
  });

  for (const [what, change, message] of [
    [
      "repeats an item",
      ["id > Number(position)", "id >= Number(position)"],
      /returned \d+ items page by page, which differ from the first 9 items of one large page/,
    ],
    [
      "loses an item",
      ["id > Number(position)", "id > Number(position) + 1"],
      /returned \d+ items page by page, which differ from the first 9 items of one large page/,
    ],
    [
      "returns the wrong previous page",
      ["if (isBackward) found.reverse();", ""],
      /returned other items for `previous` than on the page before/,
    ],
    [
      "accepts forged cursors",
      [
        "byId.page(query)",
        "((): ReturnType<typeof byId.page> => { try { return byId.page(query); } catch { return byId.page({}); } })()",
      ],
      /GET \/notes answered 200, expected 400 INVALID_CURSOR|answered with neither/,
    ],
  ] as const) {
    test(`fails its contract tests if the list ${what}`, async () => {
      const [from, to] = change;
      assert.ok(handlers.includes(from));
      const file = join(project.root, "src/notes.handlers.ts");
      try {
        await writeFile(file, handlers.replace(from, to));
        const result = await project.kit(["test"], { timeout: 120_000 });
        assert.equal(result.code, 1, result.stdout);
        assert.match(result.stdout + result.stderr, message);
      } finally {
        await writeFile(file, handlers);
      }
    });
  }

  test("skips the tests of the list if it has no fixture and responds with a declared error", async () => {
    const file = join(project.root, "src/notes.handlers.ts");
    const [from, to] = [
      "({ query }) => {",
      '({ ctx, query }) => {\n    if (query.limit !== 1000) return ctx.fail(404, "NOTES_CLOSED", "Closed");',
    ];
    assert.ok(handlers.includes(from));
    try {
      await writeFile(file, handlers.replace(from, to));
      const result = await project.kit(["test"], { timeout: 120_000 });
      assert.equal(result.code, 0, result.stdout + result.stderr);
      assert.match(result.stdout, /\d+ passed, 2 skipped/);
    } finally {
      await writeFile(file, handlers);
    }
  });

  test("has the page, the limits and the error in its OpenAPI document, which has no problems", async () => {
    const source = await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8");
    const document = JSON.parse(source) as {
      paths: Record<
        string,
        Record<string, { parameters: { name: string; schema: object }[]; responses: object }>
      >;
      components: { schemas: Record<string, { required?: string[]; properties: Record<string, object> }> };
    };
    const operation = document.paths["/notes"]!["get"]!;
    const limit = operation.parameters.find(({ name }) => name === "limit");
    assert.deepEqual(limit?.schema, { type: "integer", minimum: 1, maximum: 100, default: 20 });
    assert.deepEqual(Object.keys(operation.responses).slice(0, 3), ["200", "400", "404"]);
    assert.match(JSON.stringify(document), /INVALID_CURSOR/);
    const page = document.components.schemas["GetNotesResponse"];
    assert.deepEqual(page?.required, ["data"]);
    assert.deepEqual(Object.keys(page?.properties ?? {}), ["data", "next", "previous"]);
    const texts = /^(info-|tag-description|operation-(description|summary|4xx-response))/;
    const problems = [...(await redocly(source)), ...(await stoplight(source))];
    assert.deepEqual(
      problems.filter((line) => !texts.test(line)),
      [],
    );
  });
});
