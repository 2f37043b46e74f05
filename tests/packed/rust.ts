// Project with two servers for the same contracts: one on Node, and one in Rust that the plugin generates.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../e2e/support/command.ts";
import { repository } from "../e2e/support/project.ts";
import { RunningApp } from "../e2e/support/running-app.ts";
import { databaseStopped } from "../scaffold/database.ts";

export const todos: Readonly<Record<string, string>> = {
  "kit.config.ts": `
import { defineConfig } from "@kit/cli";
import { rustServer } from "@kit/plugin-rust-server";

export default defineConfig({ plugins: [rustServer({ db: "sqlx", profile: "dev" })] });
`,
  "src/todos.types.ts": `
/** @table todos */
export interface Todo {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 200 @unique */
  title: string;
  /** @default false */
  completed: boolean;
  /** @generated now */
  createdAt: Date;
}

export type CreateTodoInput = Omit<Todo, "id" | "createdAt">;
`,
  "src/todos.routes.ts": `
import type { RouteContract } from "@kit/types";
import type { CreateTodoInput, Todo } from "./todos.types.ts";

export interface TodoRoutes {
  /** @throws TODO_EXISTS 409 There is such a todo. */
  "POST /todos": RouteContract<void, void, CreateTodoInput, Todo>;
  /** @throws TODO_NOT_FOUND 404 There is no such todo. */
  "GET /todos/:id": RouteContract<{ id: string }, void, void, Todo>;
}
`,
  "src/app.ts": `
import { randomUUID } from "node:crypto";
import { createApp, defineHandlers } from "@kit/core";
import { ConflictError, NotFoundError } from "@kit/errors";
import { nativeServer } from "@kit/server-native";
import type { TodoRoutes } from "./todos.routes.ts";
import type { Todo } from "./todos.types.ts";

const rows = new Map<string, Todo>();

const handlers = defineHandlers<TodoRoutes>({
  "POST /todos": ({ body }) => {
    if ([...rows.values()].some(({ title }) => title === body.title)) throw new ConflictError("TODO_EXISTS", "There is such a todo");
    const row = { ...body, id: randomUUID(), createdAt: new Date() };
    rows.set(row.id, row);
    return row;
  },
  "GET /todos/:id": ({ params }) => {
    const row = rows.get(params.id);
    if (row === undefined) throw new NotFoundError("TODO_NOT_FOUND", "Todo not found", { id: params.id });
    return row;
  },
});

export const app = createApp({ server: nativeServer(), routes: [{ prefix: "/todos", handlers }] });
`,
  "src/main.ts": `
import { app } from "./app.ts";

const { url } = await app.listen({ port: Number(process.env["PORT"] ?? 0), host: "127.0.0.1" });
console.log(\`Listening on \${url}\`);
`,
};

/**
 * Builds the project in a directory, with the packages that are installed there. Sends the same requests to both servers and compares their
 * responses.
 */
export async function servesInBoth(root: string): Promise<void> {
  // Uses the build directory that other generated projects of the repository use, because it contains the compiled
  // dependencies.
  const target = join(repository, "target/generated");
  const lock = await readFile(join(repository, "examples/notes-rust/Cargo.lock"), "utf8");
  await writeFile(join(root, "Cargo.lock"), lock.replace('name = "notes-rust"', 'name = "todos"'));
  const bin = join(root, "node_modules/.bin");
  const kit = async (...args: readonly string[]): Promise<string> => {
    const env = { CARGO_TARGET_DIR: target };
    const { code, stdout, stderr } = await run(join(bin, "kit"), args, { cwd: root, env, timeout: 600_000 });
    assert.equal(code, 0, stdout + stderr);
    return stdout.trim();
  };
  await kit("build");
  await kit("migrate:generate", "--name", "create_todos");
  await kit("db", "start");
  try {
    await kit("migrate:apply");
    const env = { DATABASE_URL: await kit("db", "url") };
    const answers: unknown[] = [];
    for (const options of [{ env }, { env, program: join(target, "debug/todos") }]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, because the compilations use all
      // processors
      answers.push(await responsesOf(root, options));
    }
    assert.deepEqual(answers[1], answers[0]);
  } finally {
    await kit("db", "stop");
    await databaseStopped(root);
  }
}

/** Returns the responses of a server, without the values that differ from run to run. */
async function responsesOf(
  root: string,
  options: { env: Record<string, string>; program?: string },
): Promise<unknown> {
  const app = await RunningApp.start(root, { ...options, mode: "production" });
  try {
    const request = async (
      path: string,
      body?: object,
    ): Promise<[number, string, Record<string, unknown>]> => {
      const answer = await fetch(`${app.url}${path}`, {
        ...(body !== undefined && {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      });
      const json = (await answer.json()) as Record<string, unknown>;
      return [answer.status, answer.headers.get("content-type") ?? "", json];
    };
    const made = await request("/todos", { title: "Groceries" });
    assert.equal(made[0], 201, JSON.stringify(made));
    const { id } = made[2];
    const found = await request(`/todos/${String(id)}`);
    assert.deepEqual(found[2], made[2]);
    const others = [
      await request("/todos", { title: "Groceries" }),
      await request("/todos", { title: "", completed: 1 }),
      await request("/todos/00000000-0000-4000-8000-000000000000"),
      await request("/nowhere"),
    ];
    assert.deepEqual(
      others.map(([status]) => status),
      [409, 400, 404, 404],
    );
    return [made, found, ...others].map(([status, type, json]) => {
      const text = JSON.stringify(json).replaceAll(/"(id|createdAt|traceId)":"(?!0{8})[^"]*"/g, '"$1":"…"');
      return [status, type, text];
    });
  } finally {
    await app.stop();
  }
}
