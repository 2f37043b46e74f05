// Builds an application with each error format. Its generated contract tests must pass, its client must have the declared
// types, and its OpenAPI document must pass the linters.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { run } from "../e2e/support/command.ts";
import { Project, repository } from "../e2e/support/project.ts";
import { redocly, stoplight } from "../openapi/linters.ts";

const PACKAGE = `{
  "name": "shelf", "version": "1.0.0", "private": true, "type": "module",
  "dependencies": {
    "@kit/client": "0.1.0", "@kit/core": "0.1.0", "@kit/server-native": "0.1.0", "@kit/testing": "0.1.0", "@kit/types": "0.1.0"
  },
  "devDependencies": { "@kit/cli": "0.1.0", "@types/node": "24.10.1", "typescript": "7.0.2" }
}`;

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2024", "lib": ["es2024"], "module": "nodenext", "types": ["node"], "strict": true,
    "exactOptionalPropertyTypes": true, "verbatimModuleSyntax": true, "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true, "skipLibCheck": true, "noEmit": true
  },
  "include": ["src", ".kit/**/*"]
}`;

const ROUTES = `import type { RouteContract } from "@kit/types";

export interface NewBook {
  /** @minLength 1 @maxLength 20 */
  title: string;
  /** @integer @minimum 1 */
  pages: number;
}

/** Books on a shelf. */
export interface BookRoutes {
  /**
   * Adds a book.
   *
   * @summary Add a book
   * @throws SHELF_FULL 409 The shelf is full.
   */
  "POST /books": RouteContract<void, void, NewBook, NewBook>;
  /**
   * Reads a book.
   *
   * @summary Read a book
   * @throws BOOK_NOT_FOUND 404 There is no such book.
   */
  "GET /books/:id": RouteContract<{ /** @format uuid */ id: string }, { page?: number }, void, NewBook>;
}
`;

const APP = `import { createApp, defineErrorFormat, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { BookRoutes } from "./books.routes.ts";

export interface Failed {
  kind: string;
  text: string;
  request: string;
  extra?: unknown;
}
export interface RealWorldError {
  errors: { body: string[] };
}

export const failed = defineErrorFormat<Failed>({
  contentType: "application/vnd.failed+json",
  body: ({ code, message, traceId, details }) => ({
    kind: code, text: message, request: traceId, ...(details && { extra: details }),
  }),
  paths: { code: "kind", message: "text", details: "extra", traceId: "request" },
});
export const realWorld = defineErrorFormat<RealWorldError>({
  body: ({ message }) => ({ errors: { body: [message] } }),
});

export const bookHandlers = defineHandlers<BookRoutes>({
  "POST /books": ({ body }) => body,
  "GET /books/:id": ({ ctx }) => ctx.fail(404, "BOOK_NOT_FOUND", "There is no such book"),
});

export const app = createApp({
  server: nativeServer(),
  routes: [{ handlers: bookHandlers }],
  errors: ERRORS,
});
`;

interface Format {
  readonly errors: string;
  readonly mediaType: string;
  readonly status: 400 | 422;
  /** Code that must compile with the generated client. */
  readonly client: string;
}

const formats: Readonly<Record<string, Format>> = {
  "problem details": {
    errors: '{ format: "problem-details", validationStatus: 422 }',
    mediaType: "application/problem+json",
    status: 422,
    client: `if (error.code === "VALIDATION_ERROR") { const status: 422 = error.status; void status; }
      if (error.code === "SHELF_FULL") { const status: 409 = error.status; void status; }`,
  },
  "the envelope with 422": {
    errors: "{ validationStatus: 422 }",
    mediaType: "application/json",
    status: 422,
    client: `if (error.code === "VALIDATION_ERROR") { const status: 422 = error.status; void status; }`,
  },
  "a declared type with codes": {
    errors: "{ format: failed }",
    mediaType: "application/vnd.failed+json",
    status: 400,
    client: `if (error.code === "SHELF_FULL") { const kind: string = error.body.kind; void kind; }
      // @ts-expect-error: the declared type has no such property.
      if (error.code === "SHELF_FULL") void error.body.error;`,
  },
  "a declared type without codes": {
    errors: "{ format: realWorld, validationStatus: 422 }",
    mediaType: "application/json",
    status: 422,
    client: `if (error.code === "HTTP_409") { const texts: string[] = error.body.errors.body; void texts; }`,
  },
};

for (const [name, format] of Object.entries(formats)) {
  describe(name, () => {
    let project: Project;
    before(async () => {
      project = await Project.of(
        new Map([
          ["package.json", PACKAGE],
          ["tsconfig.json", TSCONFIG],
          ["src/books.routes.ts", ROUTES],
          ["src/app.ts", APP.replace("ERRORS", format.errors)],
          [
            "src/caller.ts",
            `import { createClient } from "../.kit/client/index.ts";
             const api = createClient({ baseUrl: "http://localhost" });
             export async function call(): Promise<void> {
               const result = await api.post("/books", { body: { title: "a", pages: 1 } }).result();
               if (result.ok) return;
               const { error } = result;
               ${format.client}
             }`,
          ],
        ]),
      );
      await project.kitOk("build");
    });
    after(() => project.remove());

    test("the project compiles, and the client has the types of the format", async () => {
      const tsc = join(repository, "node_modules/.bin/tsc");
      const result = await run(process.execPath, [tsc, "-p", "."], { cwd: project.root });
      assert.equal(result.code, 0, result.stdout);
    });

    test("all generated contract tests pass", async () => {
      const files = ["--test", ".kit/tests/BookRoutes.contract.test.ts"];
      const result = await run(process.execPath, files, { cwd: project.root, timeout: 120_000 });
      assert.equal(result.code, 0, result.stdout);
      assert.match(result.stdout, /pass [1-9]\d/);
    });

    test("the OpenAPI document has the media type and the status, and no problems", async () => {
      const source = await readFile(join(project.root, ".kit/schemas/openapi.json"), "utf8");
      const { paths } = JSON.parse(source) as {
        paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>;
      };
      const { responses } = paths["/books"]!["post"]!;
      for (const status of [String(format.status), "409", "default"]) {
        assert.deepEqual(Object.keys(responses[status]!.content), [format.mediaType], status);
      }
      assert.equal(responses[format.status === 422 ? "400" : "422"], undefined);
      const texts = /^(info-|tag-description|operation-(description|summary))/;
      const problems = [...(await redocly(source)), ...(await stoplight(source))];
      assert.deepEqual(
        problems.filter((line) => !texts.test(line)),
        [],
      );
    });
  });
}
