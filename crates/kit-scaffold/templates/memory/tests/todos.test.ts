import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createFactory, createIntegrationSuite, type IntegrationSuite } from "@kit/testing";
import type { CreateTodoInput } from "{{todos}}";

/** The JSON form: dates are strings. */
interface TodoJson {
  id: string;
  title: string;
  completed: boolean;
  createdAt: string;
}

/** Asserts that a response is an error with this status and code. */
async function refused(response: Response, status: number, code: string): Promise<void> {
  assert.equal(response.status, status);
  assert.equal(((await response.json()) as { error: { code: string } }).error.code, code);
}

describe("todos", () => {
  let suite: IntegrationSuite;

  before(async () => {
    suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });
  });
  after(() => suite?.close());

  function ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${suite.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  }

  test("are added, listed, changed and deleted", async () => {
    const added = await ask("POST", "/todos", { title: "Buy milk" });
    assert.equal(added.status, 201);
    const todo = (await added.json()) as TodoJson;
    assert.equal(todo.title, "Buy milk");
    assert.equal(todo.completed, false);
    assert.ok(Math.abs(Date.parse(todo.createdAt) - Date.now()) < 60_000, `${todo.createdAt} is not now`);

    const path = `/todos/${todo.id}`;
    assert.deepEqual(await (await ask("GET", path)).json(), todo);
    const list = (await (await ask("GET", "/todos")).json()) as TodoJson[];
    assert.deepEqual(list[0], todo);

    const changed = await (await ask("PUT", path, { completed: true })).json();
    assert.deepEqual(changed, { ...todo, completed: true });

    assert.equal((await ask("DELETE", path)).status, 204);
    await refused(await ask("GET", path), 404, "TODO_NOT_FOUND");
    await refused(await ask("DELETE", path), 404, "TODO_NOT_FOUND");
  });

  test("are refused if they do not match the types", async () => {
    for (const { value } of createFactory<CreateTodoInput>().invalid()) {
      await refused(await ask("POST", "/todos", value), 400, "VALIDATION_ERROR");
    }
    await refused(await ask("GET", "/todos/nothing"), 400, "VALIDATION_ERROR");
  });
});
