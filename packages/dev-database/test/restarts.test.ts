import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { openDatabase } from "../src/index.ts";
import { pathsOf } from "../src/paths.ts";
import { clusterOf, dataDirectory, keeperOf, query, serverOf, until, untilAnswers } from "./support.ts";

function logOf(dataDir: string): string {
  return readFileSync(join(pathsOf({ dataDir }).state, "keeper.log"), "utf8");
}

/** Kills PostgreSQL, and listens on its port before the keeper can restart it. */
async function takePort(dataDir: string, url: string): Promise<Server> {
  const [server, keeper] = [serverOf(dataDir), keeperOf(dataDir)];
  assert.ok(server !== undefined);
  process.kill(keeper, "SIGSTOP");
  process.kill(server, "SIGKILL");
  await until(() => serverOf(dataDir) === undefined, "the server to die");
  const thief = createServer((socket) => socket.destroy());
  const port = Number(new URL(url).port);
  // The server's child processes hold the port until they notice that the server has ended.
  for (let isTaken = false; !isTaken;) {
    // oxlint-disable-next-line no-await-in-loop
    isTaken = await listens(thief, port);
  }
  process.kill(keeper, "SIGCONT");
  return thief;
}

async function listens(server: Server, port: number): Promise<boolean> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "EADDRINUSE");
    await sleep(20);
    return false;
  }
}

test("the keeper restarts a PostgreSQL that is killed again while it starts, without another keeper", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  await query(database.url, "CREATE TABLE t AS SELECT 7 AS n");
  const keeper = keeperOf(dataDir);
  for (let kills = 0, last: number | undefined; kills < 4; kills += 1) {
    let found: number | undefined;
    // oxlint-disable-next-line no-await-in-loop -- the steps run one after the other
    await until(() => (found = serverOf(dataDir)) !== undefined && found !== last, "the next PostgreSQL");
    assert.ok(found !== undefined);
    process.kill(found, "SIGKILL");
    last = found;
  }
  await untilAnswers(database.url, "SELECT n FROM t", "7");
  assert.equal(keeperOf(dataDir), keeper);
  assert.match(logOf(dataDir), /PostgreSQL did not start; kit tries again: PostgreSQL ended \(SIGKILL\)/);
});

test("the keeper waits for the port of PostgreSQL if another program has it for a short time", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  const thief = await takePort(dataDir, database.url);
  setTimeout(() => thief.close(), 1_000);
  await untilAnswers(database.url, "SELECT 1", "1");
});

test("the keeper restarts PostgreSQL on another port if another program has its port, and warns the clients", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  await query(database.url, "CREATE TABLE t AS SELECT 7 AS n");
  const warned = once(process, "warning");
  const thief = await takePort(dataDir, database.url);
  context.after(() => thief.close());
  const [warning] = (await warned) as [Error];
  await using again = await openDatabase({ dataDir });
  const [before, now] = [new URL(database.url).port, new URL(again.url).port];
  assert.equal(
    warning.message,
    `the embedded database now uses port ${now}, because another program uses port ${before}: start this process again, or it cannot connect to the database`,
  );
  assert.deepEqual(await query(again.url, "SELECT n FROM t"), [["7"]]);
});

test("the keeper warns the clients why PostgreSQL cannot restart, and restarts it when the reason is gone", async (context) => {
  const dataDir = dataDirectory(context);
  await using database = await openDatabase({ dataDir });
  const file = join(clusterOf(dataDir), "PG_VERSION");
  const version = readFileSync(file, "utf8");
  const warned = once(process, "warning");
  writeFileSync(file, "15\n");
  process.kill(serverOf(dataDir) ?? 0, "SIGKILL");
  const [warning] = (await warned) as [Error];
  assert.match(
    warning.message,
    /^the connection to the embedded database is lost; kit tries again: .*cluster holds data of PostgreSQL 15/,
  );
  assert.match(
    logOf(dataDir),
    /ended unexpectedly[^]*cluster holds data of PostgreSQL 15[^]*keeper \d+ ends/,
  );
  writeFileSync(file, version);
  await untilAnswers(database.url, "SELECT 1", "1");
});
