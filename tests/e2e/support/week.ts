import { Project } from "./project.ts";

/** Adapters on Node: their names, the functions that create them, and their packages. */
export const adapters: readonly (readonly [
  make: string,
  from: string,
  env: Readonly<Record<string, string>>,
])[] = [
  ["nativeServer", "@kit/server-native", {}],
  ["nativeServer", "@kit/server-native", { KIT_SERVER: "node" }],
  ["expressServer", "@kit/server-express", {}],
  ["fastifyServer", "@kit/server-fastify", {}],
  ["honoServer", "@kit/server-hono", {}],
];

const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["src", ".kit/**/*"],
};

/** Project without mistakes, as a user writes it in the first week. The keys are paths, the values are contents. */
export const files: ReadonlyMap<string, string> = new Map([
  ["package.json", `${JSON.stringify({ name: "week", version: "1.0.0", type: "module", private: true })}\n`],
  ["tsconfig.json", `${JSON.stringify(tsconfig)}\n`],
  [
    "src/notes.types.ts",
    `/** @table notes */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @maxLength 200 */
  title: string;
}
`,
  ],
  [
    "src/notes.routes.ts",
    `import type { RouteContract } from "@kit/types";
import type { Note } from "./notes.types.ts";

export interface NoteRoutes {
  "GET /notes": RouteContract<void, void, void, Note[]>;
  "POST /notes": RouteContract<void, void, { title: string }, Note>;
}
`,
  ],
  [
    "src/notes.handlers.ts",
    `import { defineHandlers } from "@kit/core";
import type { NoteRoutes } from "./notes.routes.ts";

export const noteHandlers = defineHandlers<NoteRoutes>({
  "GET /notes": () => [],
  "POST /notes": ({ body }) => ({ id: "9b2f4c1e-0c2d-4f7e-8a8e-1f3b5d7c9e10", title: body.title }),
});
`,
  ],
  [
    "src/app.ts",
    `import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { noteHandlers } from "./notes.handlers.ts";

export const app = createApp({ server: nativeServer(), routes: [{ handlers: noteHandlers }] });
`,
  ],
  [
    "src/main.ts",
    `import { app } from "./app.ts";

const port = Number(process.env["PORT"] || 3000);
const { url } = await app.listen({ port, host: "127.0.0.1" });
console.log(\`Listening on \${url}\`);
`,
  ],
]);

/** Files of a program with a database. They replace the files of the same paths above. */
export const withDatabase: ReadonlyMap<string, string> = new Map([
  [
    "src/database.ts",
    `import type { Plugin } from "@kit/core";
import { Pool } from "pg";

export const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });

export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
`,
  ],
  [
    "src/notes.handlers.ts",
    `import { defineHandlers } from "@kit/core";
import { pool } from "./database.ts";
import type { NoteRoutes } from "./notes.routes.ts";

export const noteHandlers = defineHandlers<NoteRoutes>({
  "GET /notes": async () => (await pool.query("select id, title from notes")).rows,
  "POST /notes": async ({ body }) =>
    (await pool.query("insert into notes (title) values ($1) returning id, title", [body.title])).rows[0],
});
`,
  ],
  [
    "src/app.ts",
    `import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { database } from "./database.ts";
import { noteHandlers } from "./notes.handlers.ts";

export const app = createApp({
  server: nativeServer(),
  routes: [{ handlers: noteHandlers }],
  plugins: [database],
});
`,
  ],
]);

/** Creates a project in which some files have other contents. `null` removes a file. */
export function projectOf(
  changes: Readonly<Record<string, string | null>> = {},
  hasDatabase = false,
): Promise<Project> {
  const all = new Map(hasDatabase ? [...files, ...withDatabase] : files);
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) all.delete(path);
    else all.set(path, text);
  }
  return Project.of(all);
}

/** Returns one file of the project after a text in it was replaced. */
export function edited(path: string, from: string, to: string, hasDatabase = false): Record<string, string> {
  const text = (hasDatabase ? withDatabase.get(path) : undefined) ?? files.get(path) ?? "";
  if (!text.includes(from)) throw new Error(`${path} does not hold ${from}`);
  return { [path]: text.replace(from, to) };
}
