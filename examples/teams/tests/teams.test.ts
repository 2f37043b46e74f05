import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { assertMatches, createFactory, createIntegrationSuite } from "@kit/testing";
import { authKey, DEVELOPMENT_KEY } from "../src/auth-key.ts";
import type { Team, TeamMember } from "../src/teams.types.ts";
import type { Todo } from "../src/todos.types.ts";
import type { CreateUserInput, User } from "../src/users.types.ts";
import { accessToken, credentials } from "./token.ts";

const suite = await createIntegrationSuite({
  app: () => import("../src/app.ts"),
  headers: () => credentials(),
});
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

describe("callers", () => {
  test("without a token of this application get 401", async () => {
    const forged = await accessToken("tester", ["manager"], new Uint8Array(32));
    for (const authorization of ["", "Bearer ada", `Bearer ${forged}`]) {
      const headers = authorization === "" ? {} : { authorization };
      const { status } = await fetch(`${suite.url}/teams`, { headers });
      assert.equal(status, 401);
    }
  });

  test("may read everything, and change only what their role allows", async () => {
    const team = await suite.insert(teams);
    const { id: userId } = await suite.insert(users);
    const body = { title: "Find the moth", userId };
    const [guest, member] = [await credentials("guest"), await credentials("member")];
    const read = await suite.request("GET /teams/:id", { params: { id: team.id }, headers: guest });
    assert.equal(read.status, 200);
    assert.equal((await suite.request("POST /todos", { body, headers: guest })).status, 403);
    assert.equal((await suite.request("POST /todos", { body, headers: member })).status, 201);
    const refused = await suite.request("DELETE /users/:id", { params: { id: userId }, headers: member });
    assert.equal(refused.status, 403);
    assert.equal((refused.body as { error: { code: string } }).error.code, "INSUFFICIENT_SCOPE");
  });
});

test("outside of development, the application does not start without its own secret", () => {
  for (const NODE_ENV of ["production", "staging", "Development", ""]) {
    assert.throws(() => keyWith({ NODE_ENV }), /AUTH_SECRET has 0 bytes/, NODE_ENV);
  }
  const NODE_ENV = "production";
  assert.throws(() => keyWith({ NODE_ENV, AUTH_SECRET: "s".repeat(31) }), /AUTH_SECRET has 31 bytes/);
  const known = new TextDecoder().decode(DEVELOPMENT_KEY);
  assert.throws(() => keyWith({ NODE_ENV, AUTH_SECRET: known }), /is public/);
  const secret = "s".repeat(32);
  assert.deepEqual(keyWith({ NODE_ENV, AUTH_SECRET: secret }), new TextEncoder().encode(secret));
});

/** Returns the key of an application that is started with these variables. */
function keyWith(env: { NODE_ENV: string; AUTH_SECRET?: string }): Uint8Array {
  const { NODE_ENV = "", AUTH_SECRET = "" } = process.env;
  try {
    Object.assign(process.env, { AUTH_SECRET: "", ...env });
    return authKey();
  } finally {
    Object.assign(process.env, { NODE_ENV, AUTH_SECRET });
  }
}
