import assert from "node:assert/strict";
import { test } from "node:test";

import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { NOTES, Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

test("migrate:apply applies migrations to the embedded database", { timeout: 120_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const json = async (...args: string[]) => {
    const outcome = await project.kit([...args, "--json"]);
    return {
      code: outcome.code,
      err: outcome.err,
      report: JSON.parse(outcome.out) as Record<string, unknown>,
    };
  };
  const one = await json("migrate:generate", "--name", "one");
  const name = String(one.report["path"]).replace("migrations/", "");

  const dry = await json("migrate:apply", "--dry-run");
  assert.deepEqual(dry, {
    code: 0,
    err: "",
    report: {
      status: "dry-run",
      applied: [],
      pending: [
        {
          name,
          destructive: false,
          destructiveStatements: [],
          outOfOrder: false,
          stepsDone: 0,
          edited: false,
          changes: [{ summary: "create table notes", destructive: false, risks: [] }],
          risks: [],
          statements: [],
        },
      ],
      alreadyApplied: 0,
      warnings: [],
    },
  });
  const applied = await json("migrate:apply");
  assert.equal(applied.report["status"], "applied");
  assert.partialDeepStrictEqual(applied.report["applied"], [{ name }]);
  const again = await project.kit(["migrate:apply"]);
  assert.deepEqual([again.code, again.out], [0, "nothing to apply: the database has the one migration\n"]);

  await project.write("src/notes.types.ts", NOTES["src/notes.types.ts"]!.replace(/ {2}title: string;\n/, ""));
  assert.equal((await json("migrate:generate", "--name", "two")).report["destructive"], true);
  const dryRun = await project.kit(["migrate:apply", "--dry-run"]);
  assert.match(
    dryRun.out,
    /^would apply \d{14}_two \(destructive: needs --allow-destructive\)\n {4}line \d+: `ALTER TABLE notes DROP COLUMN title` drops a column and its values\n {4}line \d+: `ALTER TABLE notes DROP COLUMN title` drops a column that a running application may use \(breaks the running application\)\n {4}drop column notes\.title and all its values \(destructive, breaks the running application\)\n {6}its values are lost for good\n {6}instead \(the running application and the next one work side by side\):\n {8}kit migrate:generate --expand --name <name>\n$/,
  );
  const refused = await json("migrate:apply");
  assert.equal(refused.code, 1);
  assert.equal(refused.report["code"], "MIGRATION_ERROR");
  const allowed = await project.kit(["migrate:apply", "--allow-destructive"]);
  assert.equal(allowed.code, 0, allowed.err);
  assert.match(allowed.out, /^applied \d{14}_two in \d+ ms\n$/);
});

test("kit doctor reports the version of the embedded database", { timeout: 120_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const database = await openDatabase({ root: project.root });
  t.after(() => database.close());
  const outcome = await project.kit(["doctor", "--json"], { DATABASE_URL: database.url });
  const { checks } = JSON.parse(outcome.out) as {
    checks: { name: string; status: string; message: string }[];
  };
  const check = checks.find(({ name }) => name === "database");
  assert.equal(check?.status, "ok");
  assert.match(check.message, /^DATABASE_URL: PostgreSQL 18\./);
});

test("migrate:status compares the database with the migrations", { timeout: 240_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const one = await project.kit(["migrate:generate", "--name", "one"]);
  assert.equal(one.code, 0, one.err);
  const pending = await project.kit(["migrate:status"]);
  assert.equal(pending.code, 1, pending.err);
  assert.match(
    pending.out,
    /^pending {2}\d{14}_one\nrepair: `kit migrate:apply` applies the pending migrations\n$/,
  );
  await project.kit(["migrate:apply"]);
  const applied = await project.kit(["migrate:status"]);
  assert.equal(applied.code, 0, applied.out + applied.err);
  assert.match(applied.out, /^applied {2}\d{14}_one {2}\(\d{4}-.*Z\)\nup to date: 1 migration\n$/);

  await using database = await openDatabase({ root: project.root });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("ALTER TABLE notes ADD COLUMN extra text; CREATE TABLE mine ()");
  await client.end();
  const drifted = await project.kit(["migrate:status", "--json"]);
  assert.equal(drifted.code, 1, drifted.err);
  const report = JSON.parse(drifted.out) as { status: string; drift: unknown };
  assert.equal(report.status, "differs");
  assert.partialDeepStrictEqual(report.drift, {
    differences: [{ what: "column notes.extra", expected: null, found: "text" }],
    unknownTables: ["mine"],
  });
  assert.doesNotMatch(drifted.out, /reset/);
});

test("kit db starts, resets and stops the project's embedded database", { timeout: 240_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const idle = { KIT_DATABASE_IDLE_MS: "200" };
  const none = await project.kit(["db", "stop", "--json"], idle);
  assert.deepEqual([none.code, JSON.parse(none.out)], [0, { status: "stopped", users: 0 }]);
  const started = await project.kit(["db", "start"], idle);
  assert.equal(started.code, 0, started.err);
  const url = started.out.trim();
  assert.match(url, /^postgres:\/\/kit:.*\/app$/);
  // The database runs although no process uses it.
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("CREATE TABLE gone ()");
  assert.equal((await project.kit(["db", "url"], idle)).out.trim(), url);

  const used = await project.kit(["db", "stop"], idle);
  assert.deepEqual([used.code, used.err], [1, ""]);
  assert.match(used.out, /another process uses it; the database stops when the last of these processes ends/);
  assert.equal((await project.kit(["db", "start"], idle)).code, 0);

  const refused = await project.kit(["db", "reset"], idle);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /nothing was deleted: kit can ask for confirmation only on a terminal\nhelp: `kit db reset --yes`/,
  );
  assert.equal((await client.query("SELECT to_regclass('gone') IS NOT NULL AS there")).rows[0].there, true);
  await project.kit(["migrate:generate", "--name", "one"]);
  const reset = await project.kit(["db", "reset", "--yes"], idle);
  assert.equal(reset.code, 0, reset.err);
  assert.equal(reset.out, "the database is new, with 1 migration\n");
  const again = new Client({ connectionString: url });
  await again.connect();
  const { rows } = await again.query(
    "SELECT to_regclass('gone') AS gone, to_regclass('notes')::text AS notes",
  );
  assert.deepEqual(rows, [{ gone: null, notes: "notes" }]);
  await again.end();

  const psql = await project.kit(["db", "psql"], { ...idle, PATH: "/nowhere" });
  assert.equal(psql.code, 1);
  assert.match(psql.err, /psql is not installed, .*`kit db url`/);
  assert.doesNotMatch(psql.err, /postgres:\/\//);
  const stop = await project.kit(["db", "stop"], idle);
  assert.deepEqual([stop.code, stop.out], [0, "stopped\n"]);
});
