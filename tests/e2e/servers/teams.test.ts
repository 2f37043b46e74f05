// Tests the Teams example: the relations between its tables, and requests that change the same team at the
// same time.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { credentials } from "../../../examples/teams/tests/token.ts";
import type { Answer, Api } from "../support/api.ts";
import { assertError, assertInvalid } from "../support/errors.ts";
import { Project } from "../support/project.ts";
import type { RunningApp } from "../support/running-app.ts";

interface UserJson {
  id: string;
  email: string;
  displayName: string;
  status: string;
  createdAt: string;
  updatedAt: string;
}

interface TodoJson {
  id: string;
  title: string;
  completed: boolean;
  userId: string;
}

interface TeamJson {
  id: string;
  name: string;
  capacity: number;
  members?: { id: string; displayName: string; role: string; joinedAt: string }[];
}

interface PageJson<T> {
  data: T[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

let project: Project;
let app: RunningApp;
let api: Api;

before(async () => {
  project = await Project.ready("teams");
  app = await project.start();
  api = app.with(await credentials());
});
after(() => project?.remove());

let people = 0;

async function made<T>(path: string, body: unknown): Promise<T> {
  const answer = await api.post<T>(path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

function someone(displayName = "Ada Lovelace"): Promise<UserJson> {
  people += 1;
  return made<UserJson>("/users", { email: `person${people}@example.com`, displayName });
}

function statuses(answers: readonly Answer<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("users", () => {
  test("are created, read, changed and deleted", async () => {
    const user = await someone();
    assert.deepEqual(Object.keys(user), ["id", "email", "displayName", "status", "createdAt", "updatedAt"]);
    assert.equal(user.status, "active");
    assert.deepEqual((await api.get(`/users/${user.id}`)).body, user);

    const changed = await api.put<UserJson>(`/users/${user.id}`, { status: "suspended" });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body, { ...user, status: "suspended", updatedAt: changed.body.updatedAt });
    assert.ok(changed.body.updatedAt > user.updatedAt);

    assert.equal((await api.delete(`/users/${user.id}`)).status, 204);
    assertError(await api.get(`/users/${user.id}`), 404, "USER_NOT_FOUND");
    assertError(await api.put(`/users/${user.id}`, {}), 404, "USER_NOT_FOUND");
    assertError(await api.delete(`/users/${user.id}`), 404, "USER_NOT_FOUND");
  });

  test("cannot have the email address of another user", async () => {
    const [ada, bob] = [await someone(), await someone()];
    const { details } = assertError(
      await api.post("/users", { email: ada.email, displayName: "Another" }),
      409,
      "USER_EMAIL_CONFLICT",
    );
    assert.deepEqual((details as { email?: string } | undefined)?.email, ada.email);
    assertError(await api.put(`/users/${bob.id}`, { email: ada.email }), 409, "USER_EMAIL_CONFLICT");
    assert.equal(
      (await api.put(`/users/${ada.id}`, { email: ada.email })).status,
      200,
      "one's own is no conflict",
    );

    const rush = await Promise.all(
      Array.from({ length: 12 }, () =>
        api.post("/users", { email: "rush@example.com", displayName: "Rush" }),
      ),
    );
    assert.deepEqual(statuses(rush), { 201: 1, 409: 11 });
  });

  test("are refused with all rules that they break", async () => {
    assertInvalid(
      await api.post("/users", { email: "nobody", displayName: "A", status: "asleep" }),
      "$.email",
      "$.displayName",
      "$.status",
    );
    assertInvalid(
      await api.post("/users", { email: `${"a".repeat(244)}@example.com`, displayName: "Ada" }),
      "$.email",
    );
    assertInvalid(await api.get("/users/7"), "$.id");
    assertInvalid(await api.get("/users?status=asleep&page=0"), "$.page", "$.status");
  });

  test("are listed by status, in pages", async () => {
    const asleep = [await someone(), await someone(), await someone()];
    for (const { id } of asleep) await api.put(`/users/${id}`, { status: "deleted" });
    const first = await api.get<PageJson<UserJson>>("/users?status=deleted&pageSize=2");
    assert.deepEqual(first.body.pagination, { total: 3, page: 1, pageSize: 2, totalPages: 2 });
    const second = await api.get<PageJson<UserJson>>("/users?status=deleted&pageSize=2&page=2");
    assert.deepEqual(
      [...first.body.data, ...second.body.data].map(({ id }) => id),
      asleep.map(({ id }) => id).toReversed(),
    );
  });
});

describe("todos of users", () => {
  test("belong to a user who exists, and are deleted with the user", async () => {
    assertError(await api.post("/todos", { title: "Milk", userId: randomUUID() }), 404, "USER_NOT_FOUND");
    const user = await someone();
    const todo = await made<TodoJson>("/todos", { title: "Milk", userId: user.id });
    assert.equal(todo.completed, false);

    const done = await api.put<TodoJson>(`/todos/${todo.id}`, { completed: true });
    assert.equal(done.body.completed, true);
    assert.equal(done.body.title, "Milk");
    assert.equal((await api.delete(`/users/${user.id}`)).status, 204);
    assertError(await api.get(`/todos/${todo.id}`), 404, "TODO_NOT_FOUND");
    assertError(await api.put(`/todos/${todo.id}`, {}), 404, "TODO_NOT_FOUND");
    assertError(await api.delete(`/todos/${todo.id}`), 404, "TODO_NOT_FOUND");
  });

  test("are listed by user and by completion", async () => {
    const user = await someone();
    const [milk, bread] = [
      await made<TodoJson>("/todos", { title: "Milk", userId: user.id, completed: true }),
      await made<TodoJson>("/todos", { title: "Bread", userId: user.id }),
    ];
    const titles = async (query: string) =>
      (await api.get<PageJson<TodoJson>>(`/todos?userId=${user.id}${query}`)).body.data.map(({ id }) => id);
    assert.deepEqual(await titles(""), [bread.id, milk.id]);
    assert.deepEqual(await titles("&completed=true"), [milk.id]);
    assert.deepEqual(await titles("&completed=0"), [bread.id]);
    assertInvalid(await api.get("/todos?userId=me"), "$.userId");
  });
});

describe("an id that is not a UUID", () => {
  const wrong = ["abc", randomUUID().slice(1), `${randomUUID()}0`];

  test("gets 400 in a path, because of the type of the key", async () => {
    for (const id of wrong) {
      for (const path of [`/users/${id}`, `/todos/${id}`, `/teams/${id}`]) {
        assertInvalid(await api.get(path), "$.id");
        assertInvalid(await api.put(path, {}), "$.id");
        assertInvalid(await api.delete(path), "$.id");
      }
      assertInvalid(await api.delete(`/teams/${randomUUID()}/members/${id}`), "$.userId");
    }
  });

  test("gets 400 in a query and in a body, because of the key that `@references` names", async () => {
    for (const id of wrong) {
      assertInvalid(await api.get(`/todos?userId=${id}`), "$.userId");
      assertInvalid(await api.post("/todos", { title: "Milk", userId: id }), "$.userId");
      assertInvalid(await api.post(`/teams/${randomUUID()}/members`, { userId: id }), "$.userId");
    }
  });
});

describe("teams", () => {
  test("show their members in the order in which they joined", async () => {
    const team = await made<TeamJson>("/teams", { name: "Analysts" });
    assert.equal(team.capacity, 10);
    const [ada, bob] = [await someone("Ada"), await someone("Bob")];
    const joined = await made<object>(`/teams/${team.id}/members`, { userId: ada.id, role: "lead" });
    assert.deepEqual(Object.keys(joined), ["teamId", "userId", "role", "joinedAt"]);
    await made(`/teams/${team.id}/members`, { userId: bob.id });

    const fetched = (await api.get<TeamJson>(`/teams/${team.id}`)).body;
    assert.deepEqual(
      fetched.members?.map(({ id, displayName, role }) => ({ id, displayName, role })),
      [
        { id: ada.id, displayName: "Ada", role: "lead" },
        { id: bob.id, displayName: "Bob", role: "member" },
      ],
    );

    assert.equal((await api.delete(`/teams/${team.id}/members/${ada.id}`)).status, 204);
    assertError(await api.delete(`/teams/${team.id}/members/${ada.id}`), 404, "TEAM_NOT_FOUND");
    await api.delete(`/users/${bob.id}`);
    assert.deepEqual((await api.get<TeamJson>(`/teams/${team.id}`)).body.members, []);
  });

  test("refuse a member who is already in the team, an unknown user, and an unknown team", async () => {
    const team = await made<TeamJson>("/teams", { name: "Analysts", capacity: 1 });
    const ada = await someone();
    const path = `/teams/${team.id}/members`;
    await made(path, { userId: ada.id });
    // The team is full too, but this check comes first.
    assertError(await api.post(path, { userId: ada.id }), 409, "ALREADY_MEMBER");
    assertError(await api.post(path, { userId: (await someone()).id }), 403, "TEAM_FULL");
    assertError(await api.post(path, { userId: randomUUID() }), 404, "USER_NOT_FOUND");
    assertError(await api.post(`/teams/${randomUUID()}/members`, { userId: ada.id }), 404, "TEAM_NOT_FOUND");
    assertInvalid(await api.post(path, { userId: ada.id, role: "boss" }), "$.role");
  });

  test("give their last place to only one of two users who join at the same time", async () => {
    const [ada, bob] = [await someone(), await someone()];
    for (let round = 0; round < 5; round += 1) {
      const team = await made<TeamJson>("/teams", { name: "Solo", capacity: 1 });
      const path = `/teams/${team.id}/members`;
      const answers = await Promise.all([ada, bob].map(({ id }) => api.post(path, { userId: id })));
      assert.deepEqual(statuses(answers), { 201: 1, 403: 1 });
      const late = answers.find(({ status }) => status === 403);
      assert.ok(late !== undefined);
      assertError(late, 403, "TEAM_FULL");
    }
  });

  test("never exceed their capacity if many users join at the same time", async () => {
    const team = await made<TeamJson>("/teams", { name: "Few", capacity: 3 });
    const crowd = await Promise.all(Array.from({ length: 15 }, () => someone()));
    const answers = await Promise.all(
      crowd.map(({ id }) => api.post(`/teams/${team.id}/members`, { userId: id })),
    );
    assert.deepEqual(statuses(answers), { 201: 3, 403: 12 });
    assert.equal((await api.get<TeamJson>(`/teams/${team.id}`)).body.members?.length, 3);

    assertError(await api.put(`/teams/${team.id}`, { capacity: 2 }), 403, "TEAM_FULL");
    assert.equal((await api.put<TeamJson>(`/teams/${team.id}`, { capacity: 4 })).body.capacity, 4);
    assert.equal((await api.delete(`/teams/${team.id}`)).status, 204);
    assertError(await api.get(`/teams/${team.id}`), 404, "TEAM_NOT_FOUND");
    assert.equal((await api.get(`/users/${crowd[0]?.id}`)).status, 200, "members stay users");
  });
});

describe("a caller", () => {
  test("without a token gets 401, and without the scope 403", async () => {
    assertError(await app.with({}).get("/teams"), 401, "UNAUTHORIZED");
    assertError(await app.as("ada").get("/teams"), 401, "UNAUTHORIZED");
    const member = app.with(await credentials("member"));
    assert.equal((await member.get("/teams")).status, 200);
    assertError(await member.post("/teams", { name: "Analysts" }), 403, "INSUFFICIENT_SCOPE");
    assertError(await member.delete(`/users/${randomUUID()}`), 403, "INSUFFICIENT_SCOPE");
    const { id: userId } = await someone();
    assert.equal((await member.post("/todos", { title: "Milk", userId })).status, 201);
  });
});
