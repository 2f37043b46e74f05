import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { openDatabase } from "../src/index.ts";
import { placesOf } from "../src/places.ts";
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

test("a killed client leaves nothing running", async (context) => {
  const dataDir = dataDirectory(context);
  const only = await client(dataDir);
  await leave(only, "SIGKILL");
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
});

test("a killed keeper is replaced, and the server goes on", async (context) => {
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

test("a killed PostgreSQL comes back where it was, with all that was answered", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  await query(database.url, "CREATE TABLE t (n int)");
  for (let n = 0; n < 3; n += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    await query(database.url, `INSERT INTO t VALUES (${n})`);
    const server = serverOf(dataDir);
    assert.ok(server !== undefined);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    await kill(server);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    await untilAnswers(database.url, "SELECT count(*) FROM t", String(n + 1));
  }
});

test("everything killed at once is recovered at the next start", async (context) => {
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

test("an orphaned server is taken over, and stopped by the next keeper", async (context) => {
  const dataDir = dataDirectory(context);
  const only = await client(dataDir);
  const server = serverOf(dataDir);
  // Killed together, so that the client cannot ask for the next keeper.
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

test("a keeper that is killed while it makes the data is replaced", async (context) => {
  const dataDir = dataDirectory(context);
  const log = join(placesOf({ dataDir }).state, "keeper.log");
  const opening = openDatabase({ dataDir });
  await until(() => existsSync(log) && readFileSync(log, "utf8").includes("begins"), "the keeper");
  await kill(keeperOf(dataDir));
  await using database = await opening;
  assert.deepEqual(await query(database.url, "SELECT 1"), [["1"]]);
});

test("the process number of a crashed machine may be anyone's", async (context) => {
  const dataDir = dataDirectory(context);
  const first = await openDatabase({ dataDir });
  await query(first.url, "CREATE TABLE t AS SELECT 7 AS n");
  const server = serverOf(dataDir);
  assert.ok(server !== undefined);
  const file = join(clusterOf(dataDir), "postmaster.pid");
  const text = readFileSync(file, "utf8");
  await first.close();
  await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
  // As after a reboot: the file is there, and its number belongs to another program, this one.
  writeFileSync(file, text.replace(/^\d+/, String(process.pid)));
  await using database = await openDatabase({ dataDir });
  assert.deepEqual(await query(database.url, "SELECT n FROM t"), [["7"]]);
});
