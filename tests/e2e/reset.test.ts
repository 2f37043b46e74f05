// Tests that `kit db reset` deletes nothing without a confirmation: it asks on a terminal, and elsewhere
// requires `--yes`.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { Project } from "./support/project.ts";
import { CTRL_C, DOWN, ENTER, ESCAPE, onTerminal, restored } from "./support/terminal.ts";

const QUESTION = "Delete everything in the embedded database?";

describe("kit db reset", { timeout: 240_000, skip: process.platform === "win32" }, () => {
  let project: Project;

  before(async () => {
    project = await Project.copy("teams");
    await project.kitOk("migrate:apply");
  });
  after(() => project?.remove());

  /** Calls a function with a connection to the embedded database. */
  async function connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    await using database = await openDatabase({ root: project.root });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const add = (email: string): Promise<unknown> =>
    connected((client) =>
      client.query("INSERT INTO users (email, display_name) VALUES ($1, 'Ada')", [email]),
    );

  async function emails(): Promise<string[]> {
    const { rows } = await connected((client) =>
      client.query<{ email: string }>("SELECT email FROM users ORDER BY email"),
    );
    return rows.map(({ email }) => email);
  }

  for (const [name, key, code] of [
    ["the answer that is chosen already", ENTER, 1],
    ["Esc", ESCAPE, 1],
    ["Ctrl-C", CTRL_C, 130],
  ] as const) {
    test(`deletes nothing if the answer is ${name}`, async () => {
      await add(`${code}-${name.length}@example.com`);
      const there = await emails();
      const result = await onTerminal("db reset", project.root, [[QUESTION, key]]);
      assert.equal(result.code, code, result.text);
      assert.match(result.text, /nothing was deleted/);
      restored(result);
      assert.deepEqual(await emails(), there);
    });
  }

  test("deletes nothing if there is no terminal, and names the option --yes", async () => {
    await add("nobody@example.com");
    for (const args of [
      ["db", "reset"],
      ["db", "reset", "--json"],
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, stdout, stderr } = await project.kit(args);
      assert.equal(code, 1);
      assert.match(stdout + stderr, /nothing was deleted: kit can ask for confirmation only on a terminal/);
      assert.match(stdout + stderr, /kit db reset --yes/);
    }
    assert.ok((await emails()).includes("nobody@example.com"));
  });

  test("resets the database after a confirmation", async () => {
    await add("gone@example.com");
    const result = await onTerminal("db reset", project.root, [[QUESTION, DOWN, ENTER]]);
    assert.equal(result.code, 0, result.text);
    assert.match(result.text, /the database is new, with 1 migration/);
    restored(result);
    assert.deepEqual(await emails(), []);
  });

  test("does not ask with --yes", async () => {
    await add("gone@example.com");
    const result = await onTerminal("db reset --yes", project.root, []);
    assert.equal(result.code, 0, result.text);
    assert.ok(!result.text.includes(QUESTION), result.text);
    assert.deepEqual(await emails(), []);
  });
});
