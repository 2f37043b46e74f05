import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Project } from "../../e2e/support/project.ts";
import { type RunningApp, type StartOptions } from "../../e2e/support/running-app.ts";
import { UNKNOWN_ID, type NoteJson } from "../../e2e/support/wire.ts";

/** Debug key that the program for production uses. */
export const key = "key-of-the-dashboard";

/** HTML that an attacker would put into data that the dashboard shows. */
export const injection = `<img src=x onerror="document.title='injected'">`;

const production = `import { createApp } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import { requireAuth } from "./auth.ts";
import { database } from "./database.ts";
import { noteHandlers } from "./notes.handlers.ts";

const auth = { name: "requireAuth", middleware: requireAuth, priority: 10 };
const rateLimit = { windowMs: 60_000, max: Number(process.env.DEBUG_MAX || 100_000) };
const app = createApp({
  server: nativeServer(),
  routes: [{ prefix: "/notes", handlers: noteHandlers, middleware: [auth] }],
  plugins: [database, debugPlugin({ port: Number(process.env.DEBUG_PORT), apiKey: "${key}", rateLimit })],
});
const { url } = await app.listen({ port: 0, host: "127.0.0.1" });
console.log("Listening on " + url);
`;

/** Copies the Notes example. Adds a handler that logs, waits or fails if the request asks for it, and a program for production. */
export async function notes(): Promise<Project> {
  const project = await Project.copy();
  const path = join(project.root, "src/notes.handlers.ts");
  const source = await readFile(path, "utf8");
  const changed = source.replace(
    `  "POST /notes": async ({ body, ctx }) => {\n`,
    `  "POST /notes": async ({ body, ctx }) => {
    ctx.log.info("Writing a note", { title: body.title, length: body.content.length });
    ctx.span?.setAttribute("note.length", body.content.length);
    if (body.title.startsWith("slow")) await new Promise((wake) => setTimeout(wake, 2_500));
    if (body.title.startsWith("broken")) {
      ctx.log.error("The note cannot be written", { title: body.title });
      throw new Error("The disk is full: " + body.content);
    }
`,
  );
  assert.notEqual(changed, source, "the handler of POST /notes is not where it was");
  await writeFile(path, changed);
  await writeFile(join(project.root, "src/production.ts"), production);
  try {
    await project.kitOk("build");
    await project.kitOk("migrate:apply");
  } catch (error) {
    await project.remove();
    throw error;
  }
  return project;
}

/** Starts the application as in production. */
export function startProduction(project: Project, env: StartOptions["env"] = {}): Promise<RunningApp> {
  return project.start({ mode: "production", args: ["src/production.ts"], env });
}

/** Sends one request of each kind to the application. Returns the id of a note that exists. */
export async function traffic(app: RunningApp): Promise<string> {
  const ada = app.as("ada");
  const { id } = (await ada.post<NoteJson>("/notes", { title: "Groceries", content: "Milk, eggs, flour" }))
    .body;
  await ada.get(`/notes/${id}`);
  await ada.get("/notes?page=1&pageSize=5");
  await ada.put(`/notes/${id}`, { archived: true });
  await ada.post("/notes", { title: "", content: 7 });
  await ada.post("/notes", { title: "broken", content: "no space" });
  await ada.get(`/notes/${UNKNOWN_ID}`);
  await app.with({}).get("/notes");
  await ada.get("/nowhere");
  return id;
}
