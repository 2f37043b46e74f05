// Tests suites in files that node:test runs in a copy of an example, as in the tests of a project.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createTestDatabase } from "@kit/dev-database";

import { type CommandResult, run } from "../e2e/support/command.ts";
import { Project } from "../e2e/support/project.ts";

const HEAD = `
import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import { assertMatches, createFactory, createIntegrationSuite } from "@kit/testing";
import type { Team, TeamMember, JoinTeamInput } from "../src/teams.types.ts";
import type { User } from "../src/users.types.ts";
import { credentials } from "./token.ts";
const headers = () => credentials();
`;

function passed({ code, stdout, stderr }: CommandResult, count: number): void {
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.match(stdout, new RegExp(`^ℹ pass ${count}$`, "m"));
}

describe("a suite", { timeout: 300_000 }, () => {
  let project: Project;
  before(async () => {
    project = await Project.copy("teams");
    await project.kitOk("build");
  });
  after(() => project?.remove());

  /** Runs test files. They do not close their suites, but their process must exit nevertheless. */
  async function tested(
    files: Readonly<Record<string, string>>,
    env: Record<string, string> = {},
  ): Promise<CommandResult> {
    const paths = await Promise.all(
      Object.entries(files).map(async ([name, text]) => {
        const path = join(project.root, "tests", name);
        await writeFile(path, HEAD + text);
        return path;
      }),
    );
    return await run(process.execPath, ["--test", ...paths], {
      cwd: project.root,
      env: { NODE_ENV: "test", ...env },
    });
  }

  test("resets its database for each test, and other files have other databases", async () => {
    const file = `
const suite = await createIntegrationSuite({
  app: () => import("../src/app.ts"),
  headers,
  seed: async (own) => { await own.insertMany(createFactory<User>({ seed: 5 }), 2); },
});
const users = createFactory<User>();
beforeEach(() => suite.reset());
for (const round of [1, 2, 3]) {
  test("round " + round, async () => {
    assert.deepEqual(await suite.query("SELECT count(*) FROM users"), [["2"]]);
    const user = await suite.insert(users, { email: "o'hara@example.com" });
    const { body } = await suite.request("GET /users/:id", { params: { id: user.id } });
    assertMatches(body, "User");
    assert.deepEqual(new Date(body.createdAt), user.createdAt);
    users.reset();
  });
}
test("uses the same database as its application", () => assert.equal(process.env["DATABASE_URL"], suite.databaseUrl));
`;
    passed(await tested({ "one.test.ts": file, "two.test.ts": file }), 8);
  });

  test("can be created in a hook, and can insert rows", async () => {
    passed(
      await tested({
        "hook.test.ts": `
import fixtures from "./fixtures.ts";
describe("teams", () => {
  let suite: Awaited<ReturnType<typeof createIntegrationSuite>>;
  before(async () => {
    suite = await createIntegrationSuite({ app: () => import("../src/app.ts"), fixtures });
  });
  test("adds the values of the fixture to a request, unless the request sets them", async () => {
    assert.equal((await suite.request("POST /teams/:id/members")).status, 201);
    assert.equal((await suite.request("GET /teams/:id")).status, 200);
    const { status } = await suite.request("GET /teams/:id", { params: { id: crypto.randomUUID() } });
    assert.equal(status, 404);
  });
});
`,
      }),
      1,
    );
  });

  test("explains why rows cannot be inserted or requests cannot be sent", async () => {
    passed(
      await tested({
        "wrong.test.ts": `
const suite = await createIntegrationSuite({ app: () => import("../src/app.ts"), headers });
test("wrong", async () => {
  const members = createFactory<TeamMember>();
  await assert.rejects(suite.insert(members), /Cannot insert a value of TeamMember into the table team_members: .*foreign key/);
  await assert.rejects(suite.insert(createFactory<JoinTeamInput>()), /Cannot insert JoinTeamInput, .* Add \`@table\` to the type/);
  await assert.rejects(suite.request("/teams"), /\`\\/teams\` is not a route. Write a method and a path pattern/);
  await assert.rejects(suite.request("GET /teams/:id"), /Add \`params: { id: … }\`/);
  // What was refused leaves nothing behind that is in the way.
  const team = await suite.insert(createFactory<Team>());
  assert.deepEqual(await suite.query("SELECT id FROM teams"), [[team.id]]);
  await suite.reset();
  assert.deepEqual(await suite.query("SELECT id FROM teams"), []);
});
`,
      }),
      1,
    );
  });

  const small = `
const suite = await createIntegrationSuite({ app: () => import("../src/app.ts"), headers });
test("asks", async () => {
  const user = await suite.insert(createFactory<User>());
  assert.equal((await suite.request("GET /users/:id", { params: { id: user.id } })).status, 200);
  await suite.reset();
  assert.equal((await suite.request("GET /users/:id", { params: { id: user.id } })).status, 404);
});
`;

  test("creates a temporary database on the given server", async () => {
    await using server = await createTestDatabase({ root: project.root });
    passed(await tested({ "server.test.ts": small }, { TEST_DATABASE_URL: server.url }), 1);
    const own = new URL(server.url).pathname.slice(1);
    assert.deepEqual(
      await server.query(
        `SELECT datname FROM pg_database WHERE datname LIKE 'kit_test_%' AND datname <> '${own}'`,
      ),
      [],
    );
  });

  test("applies migrations that drop tables, although the URL of the server names its database in a parameter", async () => {
    await using server = await createTestDatabase({ root: project.root });
    const own = new URL(server.url).pathname.slice(1);
    const directory = join(project.root, "migrations/29990101000000_dropped");
    await mkdir(directory);
    try {
      await writeFile(
        join(directory, "migration.sql"),
        "CREATE TABLE dropped (id integer PRIMARY KEY);\nDROP TABLE dropped;\n",
      );
      await writeFile(
        join(directory, "changes.json"),
        JSON.stringify({ version: 1, destructive: true, changes: [] }),
      );
      const url = `${server.url}?application_name=tests&dbname=${own}`;
      passed(await tested({ "dropped.test.ts": small }, { TEST_DATABASE_URL: url }), 1);
      assert.deepEqual(
        await server.query("SELECT count(*) FROM kit_migrations WHERE name LIKE '29990101%'"),
        [["0"]],
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("explains that there is no database", async () => {
    const { code, stdout } = await tested(
      { "none.test.ts": small },
      { TEST_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
    );
    assert.equal(code, 1);
    assert.match(
      stdout,
      /Cannot connect to the server of TEST_DATABASE_URL: connect ECONNREFUSED 127\.0\.0\.1:1/,
    );
  });
});
