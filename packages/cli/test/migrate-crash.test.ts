import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { createTestDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

const KIT = fileURLToPath(new URL("../bin/kit.js", import.meta.url));

/** Database with a thousand rows, which must survive every crash. */
const template = {
  key: "people",
  prepare: async (url: string): Promise<void> => {
    await using connection = await connect(url);
    await connection.client.query(
      "CREATE TABLE people (id integer PRIMARY KEY, name text NOT NULL);" +
        "INSERT INTO people SELECT n, 'person ' || n FROM generate_series(1, 1000) AS n",
    );
  },
};

/** Migration with ten statements. Some cannot run in a transaction, and some have a visible effect if they run twice. */
const STATEMENTS = [
  "ALTER TABLE people ADD COLUMN age integer",
  "UPDATE people SET age = id % 90",
  "INSERT INTO people VALUES (1001, 'new', 1)",
  "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY people_age ON people (age)",
  "CREATE TABLE pets (id integer PRIMARY KEY, owner integer REFERENCES people (id))",
  "INSERT INTO pets SELECT id, id FROM people",
  "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY pets_owner ON pets (owner)",
  "ALTER TABLE people ALTER COLUMN age SET NOT NULL",
  "UPDATE people SET name = name || '!'",
  "DELETE FROM pets WHERE id = 1001",
];

/**
 * First key of all advisory locks that serve as gates; the second key is the number of the gate. The migration waits at a gate as long as a
 * connection of the test holds the lock of this gate.
 */
const GATE = 7;
const gate = (number: number): string => `SELECT pg_advisory_xact_lock_shared(${GATE}, ${number});\n`;
const SQL = gate(0) + STATEMENTS.map((sql, at) => `${sql};\n${gate(at + 1)}`).join("");

test(
  "migrate:apply continues a migration that was killed before or after any of its ten statements",
  { timeout: 900_000 },
  async (t) => {
    const project = await start(t);
    for (let at = 0; at <= STATEMENTS.length; at += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one database and one process at a time
      await t.test(`continues the migration that was killed at gate ${at}`, async () => {
        await using database = await createTestDatabase({ root: project.root, template });
        await using connection = await connect(database.url);
        const { client } = connection;
        await client.query("SELECT pg_advisory_lock($1, $2)", [GATE, at]);
        const run = apply(project, database.url);
        await until(() => waits(client, at), `the migration to come to gate ${at}`, run);
        run.child.kill("SIGKILL");
        assert.equal((await run.end).signal, "SIGKILL");
        // PostgreSQL itself ends the statement of a client that was killed, and releases the lock that prevents a second migration at the
        // same time.
        await until(async () => !(await waits(client, at)), "the killed session to end");
        assert.deepEqual(
          (await client.query("SELECT count(*)::int AS n FROM people WHERE id <= 1000")).rows,
          [{ n: 1000 }],
        );
        await client.query("SELECT pg_advisory_unlock_all()");
        await finish(project, database.url, client);
      });
    }
  },
);

test(
  "migrate:apply creates an index again if it was killed while the index was created",
  { timeout: 300_000 },
  async (t) => {
    const project = await start(t);
    await using database = await createTestDatabase({ root: project.root, template });
    await using connection = await connect(database.url);
    await using other = await connect(database.url);
    const { client } = connection;
    // The statement for the index runs after the one for the column. It has to wait for a transaction that started earlier.
    await client.query("SELECT pg_advisory_lock($1, 3)", [GATE]);
    const run = apply(project, database.url);
    await until(() => waits(client, 3), "the migration to come to gate 3", run);
    await other.client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    await client.query("SELECT pg_advisory_unlock_all()");
    await until(
      async () => (await invalid(client)).includes("people_age"),
      "the index to be there without being valid",
    );
    run.child.kill("SIGKILL");
    await run.end;
    await other.client.query("COMMIT");
    const after = await finish(project, database.url, client);
    assert.match(after.err, /continues after 1 step/);
  },
);

test("Ctrl-C cancels and rolls back the statement of migrate:apply", { timeout: 300_000 }, async (t) => {
  const project = await start(t);
  await using database = await createTestDatabase({ root: project.root, template });
  await using connection = await connect(database.url);
  const { client } = connection;
  await client.query("SELECT pg_advisory_lock($1, 9)", [GATE]);
  const run = apply(project, database.url);
  await until(() => waits(client, 9), "the migration to come to gate 9", run);
  run.child.kill("SIGINT");
  const { code, err } = await run.end;
  assert.equal(code, 1, err);
  assert.match(err, /error: interrupted in `20260101000000_ten`, whose running statement was cancelled/);
  // The statement is cancelled at once, and not only when the server notices that the client has disconnected.
  assert.equal(await waits(client, 9), false);
  await client.query("SELECT pg_advisory_unlock_all()");
  await finish(project, database.url, client);
});

async function start(t: TestContext): Promise<Project> {
  return await Project.create(
    t,
    {
      "package.json": '{ "name": "crash", "type": "module" }\n',
      "migrations/20260101000000_ten/migration.sql": SQL,
      "migrations/20260101000000_ten/changes.json": '{ "version": 1, "destructive": false, "changes": [] }\n',
    },
    stopped,
  );
}

interface Run {
  readonly child: ReturnType<typeof spawn>;
  readonly end: Promise<{ code: number | null; signal: string | null; out: string; err: string }>;
}

/**
 * Starts `kit migrate:apply` as a process. The migration stops at each gate, without a timeout, until the test releases the lock. It
 * updates all rows, so the command gets the flag that allows this.
 */
function apply(project: Project, url: string): Run {
  const child = spawn(
    process.execPath,
    [KIT, "migrate:apply", "--lock-timeout", "600", "--allow-destructive"],
    {
      cwd: project.root,
      env: { ...process.env, DATABASE_URL: url },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const end = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    out,
    err,
  }));
  return { child, end };
}

/** Runs the migration to its end, and checks that each statement took effect exactly once. */
async function finish(project: Project, url: string, client: Client): Promise<Awaited<Run["end"]>> {
  const outcome = await apply(project, url).end;
  assert.equal(outcome.code, 0, outcome.err);
  assert.match(outcome.out, /^applied 20260101000000_ten in \d+ ms\n$/);
  const { rows } = await client.query(
    "SELECT (SELECT count(*)::int FROM people) AS people, (SELECT count(*)::int FROM people WHERE name ~ '[^!]!$') AS once, " +
      "(SELECT count(*)::int FROM people WHERE age IS NOT NULL) AS aged, (SELECT count(*)::int FROM pets) AS pets, " +
      "(SELECT count(*)::int FROM kit_migrations) AS history, (SELECT count(*)::int FROM kit_migration_progress) AS progress, " +
      "(SELECT count(*)::int FROM pg_index WHERE indexrelid IN ('people_age'::regclass, 'pets_owner'::regclass) AND indisvalid) AS indexes",
  );
  assert.deepEqual(rows, [
    { people: 1001, once: 1001, aged: 1001, pets: 1000, history: 1, progress: 0, indexes: 2 },
  ]);
  return outcome;
}

/** Returns true if the migration waits at the given gate. */
async function waits(client: Client, at: number): Promise<boolean> {
  const { rowCount } = await client.query(
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = $1 AND objid = $2 " +
      "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    [GATE, at],
  );
  return (rowCount ?? 0) > 0;
}

async function invalid(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid",
  );
  return rows.map(({ name }) => name);
}

async function connect(url: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

/** Waits until the condition is true. Fails at once if `run` ends before that. */
async function until(condition: () => Promise<boolean>, what: string, run?: Run): Promise<void> {
  const deadline = Date.now() + 120_000;
  // oxlint-disable-next-line no-await-in-loop -- waiting is the point
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    if (run !== undefined && run.child.exitCode !== null) {
      // oxlint-disable-next-line no-await-in-loop -- the loop ends here
      throw new Error(`the run ended before ${what}: ${(await run.end).err}`);
    }
    // oxlint-disable-next-line no-await-in-loop -- waiting is the point
    await sleep(30);
  }
}
