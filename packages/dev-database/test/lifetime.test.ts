import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { configuredUrl } from "../src/configured.ts";
import { databaseUrl, openDatabase } from "../src/index.ts";
import { client, dataDirectory, leave, query, serverOf, until } from "./support.ts";

test("openDatabase opens a PostgreSQL 18 with time zone UTC and with fsync", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  assert.match(database.url, /^postgres:\/\/kit:[\w-]+@127\.0\.0\.1:\d+\/app$/);
  const settings = await query(
    database.url,
    "SELECT current_setting('server_version_num')::int / 10000, current_setting('timezone'), current_setting('fsync'), lower('ÄB')",
  );
  assert.deepEqual(settings, [["18", "UTC", "on", "äb"]]);
});

test("the embedded database refuses a wrong password", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  const wrong = database.url.replace(/kit:[^@]+@/, "kit:wrong@");
  await assert.rejects(query(wrong, "SELECT 1"), /password authentication failed/);
});

test("openDatabase creates a database if its name does not exist", async (context) => {
  const dataDir = dataDirectory(context);
  await using app = await openDatabase({ dataDir });
  await using other = await openDatabase({ dataDir, name: "other" });
  await query(app.url, "CREATE TABLE t ()");
  assert.deepEqual(await query(other.url, "SELECT current_database(), to_regclass('t')"), [["other", null]]);
  await assert.rejects(openDatabase({ dataDir, name: 'x"; DROP' }), /cannot be the name/);
});

test("the keeper runs one server for all processes, and stops it after the last process has ended", async (context) => {
  const dataDir = dataDirectory(context);
  const [one, two] = [await client(dataDir), await client(dataDir)];
  assert.equal(one.url, two.url);
  const pid = serverOf(dataDir);
  await leave(one);
  await query(two.url, "SELECT 1");
  assert.equal(serverOf(dataDir), pid);
  await leave(two);
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
});

test("only one server starts for four processes that start at the same time", async (context) => {
  const dataDir = dataDirectory(context);
  const clients = await Promise.all([1, 2, 3, 4].map(() => client(dataDir)));
  assert.equal(new Set(clients.map(({ url }) => url)).size, 1);
  const [first] = clients;
  assert.deepEqual(await query(first?.url ?? "", "SELECT 1"), [["1"]]);
  await Promise.all(clients.map((each) => leave(each)));
});

test("the embedded database has the same data and URL after a restart", async (context) => {
  const dataDir = dataDirectory(context);
  const first = await openDatabase({ dataDir });
  await query(first.url, "CREATE TABLE kept AS SELECT 42 AS n");
  await first.close();
  await first.close();
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
  await using second = await openDatabase({ dataDir });
  assert.equal(second.url, first.url);
  assert.deepEqual(await query(second.url, "SELECT n FROM kept"), [["42"]]);
});

test("openDatabase opens a database while the server is stopping", async (context) => {
  const dataDir = dataDirectory(context);
  for (let round = 0; round < 4; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- the rounds run one after the other
    const database = await openDatabase({ dataDir });
    // oxlint-disable-next-line no-await-in-loop -- the rounds run one after the other
    assert.deepEqual(await query(database.url, "SELECT 1"), [["1"]]);
    // oxlint-disable-next-line no-await-in-loop -- the rounds run one after the other
    await database.close();
    // Waits until about the time at which the keeper stops.
    // oxlint-disable-next-line no-await-in-loop -- the rounds run one after the other
    await new Promise((resolve) => setTimeout(resolve, 280 + round * 20));
  }
});

test("an open database does not keep its process alive", async (context) => {
  const dataDir = dataDirectory(context);
  const script = fileURLToPath(new URL("client.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, "--leave"], { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number];
  assert.equal(code, 0);
});

test("a blank DATABASE_URL is refused in production and in CI", () => {
  assert.equal(configuredUrl({ NODE_ENV: "production" }), undefined);
  for (const blank of ["", " \n"]) {
    refused({ NODE_ENV: "production", DATABASE_URL: blank }, /^DATABASE_URL is set and empty, and NODE_ENV/);
    refused({ CI: "true", DATABASE_URL: blank }, /^DATABASE_URL is set and empty, and CI is set/);
    assert.equal(configuredUrl({ DATABASE_URL: blank }), undefined);
    assert.equal(configuredUrl({ DATABASE_URL: blank, CI: "false" }), undefined);
  }
  assert.equal(configuredUrl({ CI: "true" }), undefined);
  const url = "postgres://elsewhere/db";
  assert.equal(configuredUrl({ NODE_ENV: "production", CI: "1", DATABASE_URL: ` ${url}\n` }), url);
});

function refused(environment: NodeJS.ProcessEnv, message: RegExp): void {
  assert.throws(() => configuredUrl(environment), { name: "DevDatabaseError", message });
}

test("DATABASE_URL is used instead of the embedded database if it is set", async () => {
  process.env["DATABASE_URL"] = "postgres://elsewhere/db";
  try {
    assert.equal(await databaseUrl(), "postgres://elsewhere/db");
  } finally {
    delete process.env["DATABASE_URL"];
  }
});
