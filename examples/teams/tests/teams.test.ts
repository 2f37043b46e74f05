import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { assertMatches, createFactory, createIntegrationSuite } from "@kit/testing";
import type { Team, TeamMember } from "../src/teams.types.ts";
import type { Todo } from "../src/todos.types.ts";
import type { CreateUserInput, User } from "../src/users.types.ts";

const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });
const users = createFactory<User>();
const teams = createFactory<Team>();
const members = createFactory<TeamMember>();
const todos = createFactory<Todo>();

beforeEach(() => suite.reset());

describe("teams", () => {
  test("are shown with their members in the order of joining", async () => {
    const team = await suite.insert(teams, { name: "Analysts" });
    const [second, first] = await suite.insertMany(users, 2);
    assert.ok(first !== undefined && second !== undefined);
    await suite.insert(members, { teamId: team.id, userId: first.id, role: "lead" });
    await suite.insert(members, { teamId: team.id, userId: second.id });

    const { status, body } = await suite.request("GET /teams/:id", { params: { id: team.id } });
    assert.equal(status, 200);
    assertMatches(body, "TeamWithMembers");
    assert.equal(body.name, "Analysts");
    assert.deepEqual(
      body.members.map(({ id, role }) => [id, role]),
      [
        [first.id, "lead"],
        [second.id, "member"],
      ],
    );
  });

  test("accept no more members than their capacity", async () => {
    const team = await suite.insert(teams, { capacity: 2 });
    for (const user of await suite.insertMany(users, 2)) {
      await suite.insert(members, { teamId: team.id, userId: user.id });
    }
    const one = await suite.insert(users);
    const { status, body } = await suite.request("POST /teams/:id/members", {
      params: { id: team.id },
      body: { userId: one.id },
    });
    assert.equal(status, 403);
    assert.equal((body as { error: { code: string } }).error.code, "TEAM_FULL");
  });
});

test("the todos of a user are deleted with the user", async () => {
  const [leaving, staying] = await suite.insertMany(users, 2);
  assert.ok(leaving !== undefined && staying !== undefined);
  await suite.insertMany(todos, 3, { userId: leaving.id });
  const kept = await suite.insert(todos, { userId: staying.id });
  assert.equal((await suite.request("DELETE /users/:id", { params: { id: leaving.id } })).status, 204);
  assert.deepEqual(await suite.query("SELECT id FROM todos"), [[kept.id]]);
});

test("POST /users responds with 400 for each rule that a body can break", async () => {
  for (const { field, rule, value } of createFactory<CreateUserInput>().invalid()) {
    const { status, text } = await suite.request("POST /users", { body: value });
    assert.equal(status, 400, `${field} ${rule}: ${text}`);
  }
});
