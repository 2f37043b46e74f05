import assert from "node:assert/strict";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { openDatabase } from "../src/index.ts";
import { pathsOf } from "../src/paths.ts";
import { client, clusterOf, dataDirectory, leave, query, serverOf, until } from "./support.ts";

const root = process.getuid?.() === 0;

test("openDatabase accepts data directories with long paths, spaces, quotes and umlauts", async (context) => {
  const dataDir = dataDirectory(context, "a project", "with 'quotes' and ümläuts", "long".repeat(30));
  await using database = await openDatabase({ dataDir });
  assert.deepEqual(await query(database.url, "SELECT 1"), [["1"]]);
});

test("the nearest directory with a package.json is the project", (context) => {
  const top = mkdtempSync(join(tmpdir(), "kit-places-"));
  context.after(() => rmSync(top, { recursive: true }));
  mkdirSync(join(top, "src/deep"), { recursive: true });
  writeFileSync(join(top, "package.json"), "{}");
  assert.equal(pathsOf({ root: join(top, "src/deep") }).state, join(top, ".data/postgres"));
  process.env["KIT_DATA_DIR"] = join(top, "elsewhere");
  try {
    assert.equal(pathsOf({ root: top }).state, join(top, "elsewhere/postgres"));
    assert.equal(pathsOf({ dataDir: join(top, "third") }).state, join(top, "third/postgres"));
  } finally {
    delete process.env["KIT_DATA_DIR"];
  }
});

test("openDatabase refuses a data directory of another version of PostgreSQL", async (context) => {
  const dataDir = dataDirectory(context);
  const cluster = clusterOf(dataDir);
  mkdirSync(cluster, { recursive: true });
  writeFileSync(join(cluster, "PG_VERSION"), "15\n");
  await assert.rejects(
    openDatabase({ dataDir }),
    /holds data of PostgreSQL 15, but this version of kit contains PostgreSQL 18/,
  );
});

test("openDatabase reports a data directory that cannot be created", async (context) => {
  const dataDir = dataDirectory(context);
  writeFileSync(join(dataDir, "file"), "");
  await assert.rejects(
    openDatabase({ dataDir: join(dataDir, "file") }),
    /cannot create the directory.*\n.*KIT_DATA_DIR/,
  );
});

test("openDatabase reports an idle time that is not a number", async (context) => {
  const dataDir = dataDirectory(context);
  const before = process.env["KIT_DATABASE_IDLE_MS"];
  process.env["KIT_DATABASE_IDLE_MS"] = "soon";
  try {
    await assert.rejects(openDatabase({ dataDir }), /KIT_DATABASE_IDLE_MS is "soon"/);
  } finally {
    process.env["KIT_DATABASE_IDLE_MS"] = before;
  }
});

test(
  "the data is stored in a directory that PostgreSQL's account can enter if the user is root",
  { skip: root ? false : "only root needs it" },
  async (context) => {
    const closed = mkdtempSync(join(tmpdir(), "kit-closed-"));
    assert.equal(statSync(closed).mode & 0o077, 0);
    const database = await openDatabase({ dataDir: closed });
    const cluster = clusterOf(closed);
    context.after(() => rmSync(join(cluster, ".."), { recursive: true, force: true }));
    assert.ok(cluster.startsWith("/var/lib/kit/postgres/"), cluster);
    assert.ok(!existsSync(join(closed, "postgres/cluster")));
    await query(database.url, "CREATE TABLE t AS SELECT 7 AS n");
    await database.close();
    await until(() => serverOf(closed) === undefined, "the server to stop", 5_000);
    const again = await openDatabase({ dataDir: closed });
    assert.deepEqual(await query(again.url, "SELECT n FROM t"), [["7"]]);
    await again.close();
    await until(() => serverOf(closed) === undefined, "the server to stop", 5_000);
    rmSync(closed, { recursive: true });
  },
);

test(
  "a copy of a project has data of its own, and a moved project keeps its data, if the user is root",
  { skip: root ? false : "only root stores the data outside of the project" },
  async (context) => {
    const top = mkdtempSync(join(tmpdir(), "kit-copies-"));
    const [original, copy, moved] = [join(top, "original"), join(top, "copy"), join(top, "moved")];
    const clusters = new Set<string>();
    context.after(() => {
      for (const cluster of clusters) rmSync(join(cluster, ".."), { recursive: true, force: true });
      rmSync(top, { recursive: true, force: true });
    });
    /** Runs a query on the database of a project, and waits until its server has stopped. */
    const ask = async (dataDir: string, sql: string): Promise<(string | null)[][]> => {
      const database = await openDatabase({ dataDir });
      clusters.add(clusterOf(dataDir));
      const rows = await query(database.url, sql);
      await database.close();
      await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
      return rows;
    };
    await ask(original, "CREATE TABLE t AS SELECT 7 AS n");
    cpSync(original, copy, { recursive: true });
    assert.deepEqual(await ask(copy, "SELECT to_regclass('t')"), [[null]]);
    renameSync(original, moved);
    assert.deepEqual(await ask(moved, "SELECT n FROM t"), [["7"]]);
    // A new project at the former place, and another one after it was deleted.
    assert.deepEqual(await ask(original, "SELECT to_regclass('t')"), [[null]]);
    await ask(original, "CREATE TABLE t AS SELECT 8 AS n");
    rmSync(original, { recursive: true });
    assert.deepEqual(await ask(original, "SELECT to_regclass('t')"), [[null]]);
    assert.deepEqual(await ask(moved, "SELECT n FROM t"), [["7"]]);
    assert.equal(clusters.size, 4);
    // A new container has the project, but not the directories outside of it.
    rmSync(join(clusterOf(copy), ".."), { recursive: true });
    assert.deepEqual(await ask(copy, "SELECT to_regclass('t')"), [[null]]);
  },
);

test(
  "the embedded database works for a user other than root",
  { skip: root ? false : "every other test shows it" },
  async (context) => {
    const dataDir = dataDirectory(context, "theirs");
    mkdirSync(dataDir);
    chownSync(dataDir, 65_534, 65_534);
    const theirs = await client(dataDir, { uid: 65_534, gid: 65_534 });
    await query(theirs.url, "CREATE TABLE t AS SELECT 7 AS n");
    await leave(theirs);
    await until(() => serverOf(dataDir) === undefined, "the server to stop", 5_000);
    // Root can open the data of that user too. The data still belongs to the user then.
    const database = await openDatabase({ dataDir });
    assert.deepEqual(await query(database.url, "SELECT n FROM t"), [["7"]]);
    await database.close();
    assert.equal(statSync(clusterOf(dataDir)).uid, 65_534);
  },
);
