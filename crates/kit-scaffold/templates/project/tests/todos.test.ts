import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createFactory } from "@kit/testing";
import type { CreateTodoInput, Todo } from "../src/todos.types.ts";
import { startApp, type TestApp } from "./support.ts";

/** The JSON form: dates are strings. */
interface TodoJson {
  id: string;
  title: string;
  completed: boolean;
  userId: string;
  createdAt: string;
  updatedAt: string;
}

interface PageJson {
  data: TodoJson[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

interface ErrorJson {
  error: { code: string };
}

async function refused(answer: Response, status: number, code: string): Promise<void> {
  assert.equal(answer.status, status);
  assert.equal(((await answer.json()) as ErrorJson).error.code, code);
}

describe("todos", () => {
  let app: TestApp;
  const user = randomUUID();
  const other = randomUUID();

  before(async () => {
    app = await startApp();
  });
  after(() => app?.close());

  async function add(body: { title: string; completed?: boolean }): Promise<TodoJson> {
    const answer = await app.ask("POST", "/todos", { user, body });
    assert.equal(answer.status, 201);
    return (await answer.json()) as TodoJson;
  }

  test("are added, read, changed and deleted", async () => {
    const todo = await add({ title: "Buy milk" });
    assert.equal(todo.title, "Buy milk");
    assert.equal(todo.completed, false);
    assert.equal(todo.userId, user);
    assert.ok(Math.abs(Date.parse(todo.createdAt) - Date.now()) < 60_000, `${todo.createdAt} is not now`);

    const path = `/todos/${todo.id}`;
    assert.deepEqual(await (await app.ask("GET", path, { user })).json(), todo);

    const changed = (await (
      await app.ask("PUT", path, { user, body: { completed: true } })
    ).json()) as TodoJson;
    assert.deepEqual(changed, { ...todo, completed: true, updatedAt: changed.updatedAt });
    assert.ok(changed.updatedAt > todo.updatedAt);

    assert.equal((await app.ask("DELETE", path, { user })).status, 204);
    await refused(await app.ask("GET", path, { user }), 404, "TODO_NOT_FOUND");
    await refused(await app.ask("DELETE", path, { user }), 404, "TODO_NOT_FOUND");
  });

  test("are listed a page at a time, newest first", async () => {
    const lister = randomUUID();
    // Each is a minute newer than the one before.
    const [, two, three] = await app.suite.insertMany(createFactory<Todo>(), 3, { userId: lister });
    const answer = await app.ask("GET", "/todos?page=1&pageSize=2", { user: lister });
    const page = (await answer.json()) as PageJson;
    assert.deepEqual(
      page.data.map((todo) => todo.id),
      [three?.id, two?.id],
    );
    assert.deepEqual(page.pagination, { total: 3, page: 1, pageSize: 2, totalPages: 2 });
  });

  test("are accessible only to their user", async () => {
    const path = `/todos/${(await add({ title: "Secret" })).id}`;
    await refused(await app.ask("GET", path, { user: other }), 404, "TODO_NOT_FOUND");
    await refused(
      await app.ask("PUT", path, { user: other, body: { title: "Mine" } }),
      404,
      "TODO_NOT_FOUND",
    );
    await refused(await app.ask("DELETE", path, { user: other }), 404, "TODO_NOT_FOUND");
    await refused(await app.ask("GET", path), 401, "UNAUTHORIZED");
  });

  test("are refused if they do not match the types", async () => {
    for (const { value } of createFactory<CreateTodoInput>().invalid()) {
      await refused(await app.ask("POST", "/todos", { user, body: value }), 400, "VALIDATION_ERROR");
    }
    await refused(await app.ask("GET", "/todos?pageSize=0", { user }), 400, "VALIDATION_ERROR");
    await refused(await app.ask("GET", "/todos/nothing", { user }), 400, "VALIDATION_ERROR");
  });

  test("are separate from the health probe, which needs no token", async () => {
    assert.equal((await app.ask("GET", "/healthz")).status, 200);
  });
});
