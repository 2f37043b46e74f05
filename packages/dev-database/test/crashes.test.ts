import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { openDatabase } from "../src/index.ts";
import { pathsOf } from "../src/paths.ts";
import {
  client,
  clusterOf,
  dataDirectory,
  keeperOf,
  kill,
  leave,
  query,
  serverOf,
  until,
  untilAnswers,
} from "./support.ts";

test("the keeper stops the server when its only client is killed", async (context) => {
  const dataDir = dataDirectory(context);
  const only = await client(dataDir);
  await leave(only, "SIGKILL");
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
});

test("a client replaces a killed keeper while PostgreSQL continues to run", async (context) => {
  const dataDir = dataDirectory(context);
  const database = await openDatabase({ dataDir });
  const [server, keeper] = [serverOf(dataDir), keeperOf(dataDir)];
  await query(database.url, "CREATE TABLE t AS SELECT 1 AS n");
  await kill(keeper);
  await until(() => keeperOf(dataDir) !== keeper, "the next keeper");
  assert.equal(serverOf(dataDir), server);
  assert.deepEqual(await query(database.url, "SELECT n FROM t"), [["1"]]);
  await using again = await openDatabase({ dataDir });
  assert.equal(again.url, database.url);
  await database.close();
});

test("the keeper restarts a killed PostgreSQL on the same port with all committed data", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  await query(database.url, "CREATE TABLE t (n int)");
  for (let n = 0; n < 3; n += 1) {
    // oxlint-disable-next-line no-await-in-loop -- the steps run one after the other
    await query(database.url, `INSERT INTO t VALUES (${n})`);
    const server = serverOf(dataDir);
    assert.ok(server !== undefined);
    // oxlint-disable-next-line no-await-in-loop -- the steps run one after the other
    await kill(server);
    // oxlint-disable-next-line no-await-in-loop -- the steps run one after the other
    await untilAnswers(database.url, "SELECT count(*) FROM t", String(n + 1));
  }
});

test("the next keeper recovers the data if the client, the keeper and PostgreSQL are killed together", async (context) => {
  const dataDir = dataDirectory(context);
  const only = await client(dataDir);
  await query(only.url, "CREATE TABLE t AS SELECT 7 AS n");
  const server = serverOf(dataDir);
  assert.ok(server !== undefined);
  await kill(keeperOf(dataDir));
  await Promise.all([kill(server), leave(only, "SIGKILL")]);
  await using database = await openDatabase({ dataDir });
  assert.deepEqual(await query(database.url, "SELECT n FROM t"), [["7"]]);
});

test("the next keeper takes over the PostgreSQL of a killed keeper, and stops it after the last client", async (context) => {
  const dataDir = dataDirectory(context);
  const only = await client(dataDir);
  const server = serverOf(dataDir);
  // The keeper is paused before the client is killed. Otherwise the client could start the next keeper.
  process.kill(keeperOf(dataDir), "SIGSTOP");
  await leave(only, "SIGKILL");
  await kill(keeperOf(dataDir));
  assert.equal(serverOf(dataDir), server);
  const database = await openDatabase({ dataDir });
  assert.equal(database.url, only.url);
  assert.equal(serverOf(dataDir), server);
  await database.close();
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
});

test("a client replaces a keeper that is killed while it creates the data directory", async (context) => {
  const dataDir = dataDirectory(context);
  const log = join(pathsOf({ dataDir }).state, "keeper.log");
  const opening = openDatabase({ dataDir });
  await until(() => existsSync(log) && readFileSync(log, "utf8").includes("begins"), "the keeper");
  await kill(keeperOf(dataDir));
  await using database = await opening;
  assert.deepEqual(await query(database.url, "SELECT 1"), [["1"]]);
});

test("the keeper starts PostgreSQL if the process id in postmaster.pid belongs to another program", async (context) => {
  const dataDir = dataDirectory(context);
  const first = await openDatabase({ dataDir });
  await query(first.url, "CREATE TABLE t AS SELECT 7 AS n");
  const server = serverOf(dataDir);
  assert.ok(server !== undefined);
  const file = join(clusterOf(dataDir), "postmaster.pid");
  const text = readFileSync(file, "utf8");
  await first.close();
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
  // Simulates a reboot: the file exists, and its process id belongs to another program (this test).
  writeFileSync(file, text.replace(/^\d+/, String(process.pid)));
  await using database = await openDatabase({ dataDir });
  assert.deepEqual(await query(database.url, "SELECT n FROM t"), [["7"]]);
});
