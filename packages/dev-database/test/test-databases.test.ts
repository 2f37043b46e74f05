import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { createTestDatabase, openDatabase } from "../src/index.ts";
import { lease } from "../src/lease.ts";
import { pathsOf } from "../src/paths.ts";
import { Server } from "../src/server.ts";
import { TestDatabases } from "../src/test-databases.ts";
import { dataDirectory, keeperOf, kill, query, serverOf, until } from "./support.ts";

const template = {
  key: "notes",
  prepare: async (url: string): Promise<void> => {
    await query(url, "CREATE TABLE notes (id integer PRIMARY KEY, title text)");
    await query(url, "INSERT INTO notes VALUES (1, 'of the template')");
  },
};

/** Starts the server for tests with a lease that needs no test database. */
async function testServer(dataDir: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const { url, release } = await lease(pathsOf({ dataDir }, "tests"), "outside");
  return { url, [Symbol.asyncDispose]: release };
}

/** Returns the names of the test databases and templates on the server. */
async function databases(url: string): Promise<string[]> {
  const rows = await query(
    url,
    "SELECT regexp_replace(datname, '[0-9a-f]{16,}$', '') FROM pg_database WHERE datname LIKE 'kit%' ORDER BY 1",
  );
  return rows.map(([name]) => name ?? "");
}

test("each test gets a copy of the template, which is dropped when the test closes it", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await testServer(dataDir);
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

test("the search for databases of earlier tests leaves databases that clients fill or copy at the same time", async (context) => {
  const server = new Server(pathsOf({ dataDir: dataDirectory(context) }, "tests"));
  await server.start();
  try {
    const tests = new TestDatabases(async () => server);
    const [key, client] = ["0123456789abcdef", new Socket()];
    await query(server.urlOf("postgres"), "CREATE DATABASE kit_making_fedcba9876543210");
    await query(server.urlOf("postgres"), "CREATE DATABASE kit_test_fedcba9876543210");
    assert.deepEqual(await tests.open(client, key), { prepare: server.urlOf(`kit_making_${key}`) });
    await query(server.urlOf(`kit_making_${key}`), "CREATE TABLE notes ()");
    await tests.tidy(server);
    assert.deepEqual(await databases(server.urlOf("postgres")), ["kit_making_"]);
    const [copy] = await Promise.all([tests.prepared(client), tests.tidy(server)]);
    assert.ok("url" in copy);
    assert.deepEqual(await query(copy.url, "SELECT count(*) FROM notes"), [["0"]]);
    assert.deepEqual(await databases(server.urlOf("postgres")), ["kit_template_", "kit_test_"]);
  } finally {
    await server.stop();
  }
});

test("the template database is filled only once if many test databases are created at the same time", async (context) => {
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

test("the template database is filled again if the first attempt failed", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await testServer(dataDir);
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

test("the database of a killed process is dropped, but not the template, also after a restart", async (context) => {
  const dataDir = dataDirectory(context);
  {
    await using server = await testServer(dataDir);
    const script = fileURLToPath(new URL("test-client.ts", import.meta.url));
    const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    assert.match(line, /\/kit_test_[0-9a-f]{16}\n$/);
    assert.deepEqual(await databases(server.url), ["kit_template_", "kit_test_"]);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    await until(async () => (await databases(server.url)).length === 1, "the copy to be dropped");
  }
  await until(() => serverOf(dataDir, "tests") === undefined, "the server to stop");
  const never = { key: template.key, prepare: () => Promise.reject(new Error("prepared again")) };
  await using again = await createTestDatabase({ dataDir, template: never });
  assert.deepEqual(await query(again.url, "SELECT title FROM notes"), [["of the template"]]);
});

test("the databases of clients are not dropped if the keeper is killed", async (context) => {
  const dataDir = dataDirectory(context);
  const database = await createTestDatabase({ dataDir, template });
  const before = keeperOf(dataDir, "tests");
  await kill(before);
  await until(() => keeperOf(dataDir, "tests") !== before, "the next keeper");
  await query(database.url, "INSERT INTO notes VALUES (2, 'still there')");
  // The next keeper must know which connection the database belongs to.
  await using server = await testServer(dataDir);
  await database.close();
  await until(async () => (await databases(server.url)).length === 1, "the copy to be dropped");
});

test("tests use a separate server without fsync, and the project's server uses fsync", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await openDatabase({ dataDir });
  await using database = await createTestDatabase({ dataDir, template });
  assert.notEqual(new URL(app.url).port, new URL(database.url).port);
  const settings = "SELECT current_setting('fsync'), current_setting('full_page_writes')";
  assert.deepEqual(await query(app.url, settings), [["on", "on"]]);
  assert.deepEqual(await query(database.url, settings), [["off", "off"]]);
  assert.deepEqual(await databases(app.url), [], "and none of theirs is on the project's");
});

test("the data of the server for tests is created again after a reboot, but not the data of the project's server", async (context) => {
  const dataDir = dataDirectory(context);
  {
    await using app = await openDatabase({ dataDir });
    await query(app.url, "CREATE TABLE kept ()");
    await using database = await createTestDatabase({ dataDir, template });
    assert.ok(database.url);
  }
  for (const which of ["postgres", "tests"] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one server after the other
    await until(() => serverOf(dataDir, which) === undefined, "the server to stop");
  }
  // Simulates a reboot of the machine.
  writeFileSync(join(pathsOf({ dataDir }, "tests").state, "boot"), "7");
  let prepared = 0;
  const prepare = (url: string): Promise<void> => {
    prepared += 1;
    return template.prepare(url);
  };
  await using database = await createTestDatabase({ dataDir, template: { key: template.key, prepare } });
  assert.equal(prepared, 1);
  assert.deepEqual(await query(database.url, "SELECT title FROM notes"), [["of the template"]]);
  await using app = await openDatabase({ dataDir });
  assert.deepEqual(await query(app.url, "SELECT to_regclass('kept')"), [["kept"]]);
});

test("the template contains the project's migrations", async (context) => {
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

test("a test can send queries, although the application has no database driver", async (context) => {
  await using database = await createTestDatabase({ dataDir: dataDirectory(context), template });
  assert.deepEqual(await database.query("SELECT id, title, NULL FROM notes"), [
    ["1", "of the template", null],
  ]);
  await assert.rejects(database.query("SELECT nothing"), /column "nothing" does not exist/);
  assert.deepEqual(await database.query("SELECT 1; SELECT 2"), [["1"], ["2"]]);
});
