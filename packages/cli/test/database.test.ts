import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { openDatabase } from "@kit/dev-database";

import { NOTES, Project } from "./support/project.ts";

test("migrations go to the project's embedded database", { timeout: 120_000 }, async (t) => {
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
      pending: [{ name, destructive: false }],
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
  const shown = await project.kit(["migrate:apply", "--dry-run"]);
  assert.match(shown.out, /^would apply \d{14}_two \(destructive: needs --allow-destructive\)\n$/);
  const refused = await json("migrate:apply");
  assert.equal(refused.code, 1);
  assert.equal(refused.report["code"], "MIGRATION_ERROR");
  const allowed = await project.kit(["migrate:apply", "--allow-destructive"]);
  assert.equal(allowed.code, 0, allowed.err);
  assert.match(allowed.out, /^applied \d{14}_two in \d+ ms\n$/);
});

test("doctor asks the database for its version", { timeout: 120_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  const database = await openDatabase({ root: project.root });
  t.after(() => database.close());
  const outcome = await project.kit(["doctor", "--json"], { DATABASE_URL: database.url });
  const { checks } = JSON.parse(outcome.out) as {
    checks: { name: string; status: string; message: string }[];
  };
  const check = checks.find(({ name }) => name === "database");
  assert.equal(check?.status, "ok");
  assert.match(check.message, /^DATABASE_URL leads to PostgreSQL 18\./);
});

/** The database stops by itself soon after its last user has gone; its files are not taken from under it. */
async function stopped(root: string): Promise<void> {
  const running = join(root, ".data/postgres/cluster/postmaster.pid");
  for (let waited = 0; existsSync(running); waited += 100) {
    assert.ok(waited < 30_000, "the embedded database did not stop");
    // oxlint-disable-next-line no-await-in-loop
    await sleep(100);
  }
}
