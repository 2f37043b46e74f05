import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { createTestDatabase, openDatabase } from "../src/index.ts";
import { client, dataDirectory, keeperOf, kill, leave, query, serverOf, until } from "./support.ts";

const template = {
  key: "notes",
  prepare: async (url: string): Promise<void> => {
    await query(url, "CREATE TABLE notes (id integer PRIMARY KEY, title text)");
    await query(url, "INSERT INTO notes VALUES (1, 'of the template')");
  },
};

/** The databases of tests and their templates, as the server lists them. */
async function databases(url: string): Promise<string[]> {
  const rows = await query(
    url,
    "SELECT regexp_replace(datname, '[0-9a-f]{16,}$', '') FROM pg_database WHERE datname LIKE 'kit%' ORDER BY 1",
  );
  return rows.map(([name]) => name ?? "");
}

test("each test has a copy of its own, which goes away with it", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await openDatabase({ dataDir });
  const one = await createTestDatabase({ dataDir, template });
  const two = await createTestDatabase({ dataDir, template });
  assert.notEqual(one.url, two.url);
  await query(one.url, "INSERT INTO notes VALUES (2, 'mine')");
  assert.deepEqual(await query(two.url, "SELECT count(*) FROM notes"), [["1"]]);
  assert.deepEqual(await databases(app.url), ["kit_template_", "kit_test_", "kit_test_"]);
  await one.close();
  await two.close();
  await until(async () => (await databases(app.url)).length === 1, "the copies to be dropped");
  assert.deepEqual(await databases(app.url), ["kit_template_"]);
});

test("many that begin at once prepare one template", async (context) => {
  const dataDir = dataDirectory(context);
  let prepared = 0;
  const counted = {
    key: template.key,
    prepare: async (url: string) => {
      prepared += 1;
      await template.prepare(url);
    },
  };
  const all = await Promise.all(
    Array.from({ length: 6 }, () => createTestDatabase({ dataDir, template: counted })),
  );
  assert.equal(prepared, 1);
  assert.equal(new Set(all.map(({ url }) => url)).size, 6);
  await Promise.all(all.map((database) => database.close()));
});

test("a template that could not be prepared is prepared by the next", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await openDatabase({ dataDir });
  const failing = {
    key: template.key,
    prepare: async (url: string) => {
      await query(url, "CREATE TABLE half ()");
      throw new Error("no luck");
    },
  };
  const [first, second] = await Promise.allSettled([
    createTestDatabase({ dataDir, template: failing }),
    createTestDatabase({ dataDir, template: failing }),
  ]);
  assert.deepEqual([first.status, second.status], ["rejected", "rejected"]);
  await using database = await createTestDatabase({ dataDir, template });
  assert.deepEqual(await query(database.url, "SELECT count(*), to_regclass('half') FROM notes"), [
    ["1", null],
  ]);
  assert.ok(app.url);
});

test("what a killed process had is dropped; its template is kept over restarts", async (context) => {
  const dataDir = dataDirectory(context);
  const app = await openDatabase({ dataDir });
  const script = fileURLToPath(new URL("test-client.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  assert.match(line, /\/kit_test_[0-9a-f]{16}\n$/);
  assert.deepEqual(await databases(app.url), ["kit_template_", "kit_test_"]);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  await until(async () => (await databases(app.url)).length === 1, "the copy to be dropped");
  await app.close();
  await until(() => serverOf(dataDir) === undefined, "the server to stop");
  const never = { key: template.key, prepare: () => Promise.reject(new Error("prepared again")) };
  await using again = await createTestDatabase({ dataDir, template: never });
  assert.deepEqual(await query(again.url, "SELECT title FROM notes"), [["of the template"]]);
});

test("a keeper that is killed takes no database along", async (context) => {
  const dataDir = dataDirectory(context);
  const other = await client(dataDir);
  const database = await createTestDatabase({ dataDir, template });
  const before = keeperOf(dataDir);
  await kill(before);
  await until(() => keeperOf(dataDir) !== before, "the next keeper");
  await query(database.url, "INSERT INTO notes VALUES (2, 'still there')");
  // The next keeper has to know whose it is.
  const held = await openDatabase({ dataDir });
  await database.close();
  await until(async () => (await databases(held.url)).length === 1, "the copy to be dropped");
  await held.close();
  await leave(other);
});

test("the project's migrations are the template", async (context) => {
  const dataDir = dataDirectory(context);
  const root = mkdtempSync(join(tmpdir(), "kit project "));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "package.json"), "{}");
  const migration = (name: string, sql: string): void => {
    mkdirSync(join(root, "migrations", name), { recursive: true });
    writeFileSync(join(root, "migrations", name, "migration.sql"), sql);
    writeFileSync(
      join(root, "migrations", name, "changes.json"),
      '{ "version": 1, "destructive": false, "changes": [] }',
    );
  };
  migration("20260101000000_one", "CREATE TABLE one ();");
  {
    await using database = await createTestDatabase({ root, dataDir });
    assert.deepEqual(await query(database.url, "SELECT to_regclass('one'), count(*) FROM kit_migrations"), [
      ["one", "1"],
    ]);
  }
  migration("20260101000001_two", "CREATE TABLE two ();");
  {
    await using database = await createTestDatabase({ root, dataDir });
    assert.deepEqual(await query(database.url, "SELECT to_regclass('two')"), [["two"]]);
  }
  migration("20260101000002_three", "CREATE TABEL three ();");
  await assert.rejects(createTestDatabase({ root, dataDir }), /syntax error at or near "TABEL"/);
});
