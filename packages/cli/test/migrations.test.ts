// Tests commands for migrations on the embedded database: edits of applied migrations, and types without a plan.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { NOTES, Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

const VIEW = "\nCREATE VIEW titles AS SELECT title FROM notes;\n";

test("an edit of an applied migration is refused and changes no file", { timeout: 240_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  await project.kit(["migrate:generate", "--name", "one"]);
  const applied = await project.kit(["migrate:apply"]);
  assert.equal(applied.code, 0, applied.err);
  const [name] = await readdir(join(project.root, "migrations"));
  const original = await project.output(`migrations/${name}`);
  await project.write(`migrations/${name}/migration.sql`, `${original["migration.sql"]}${VIEW}`);
  for (const CI of ["", "true"]) {
    // oxlint-disable-next-line no-await-in-loop
    const refused = await project.kit(["migrate:apply"], { CI });
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /was edited after it was applied or squashed; restore migration\.sql and snapshot\.json in migrations\//,
    );
  }
  assert.equal(await project.read(`migrations/${name}/snapshot.json`), original["snapshot.json"]);
  const status = await project.kit(["migrate:status"]);
  assert.match(status.out, /restore migration\.sql and snapshot\.json in migrations\//);
});

test("the list of changes of an edited migration is marked", { timeout: 240_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  await project.kit(["migrate:generate", "--name", "one"]);
  const [name] = await readdir(join(project.root, "migrations"));
  const file = `migrations/${name}/migration.sql`;
  await project.write(file, `${await project.read(file)}${VIEW}`);
  const applied = await project.kit(["migrate:apply"], { CI: "" });
  assert.equal(applied.code, 0, applied.err);
  assert.match(
    applied.err,
    /^ {2}\d{14}_one \(its SQL was edited: the list of changes is the one that kit planned\)$/m,
  );
});

test("status has the advice for types whose change kit cannot plan", { timeout: 240_000 }, async (t) => {
  const project = await Project.create(t, NOTES, stopped);
  await project.kit(["migrate:generate", "--name", "one"]);
  assert.equal((await project.kit(["migrate:apply"])).code, 0);
  const types = NOTES["src/notes.types.ts"]!;
  await project.write(
    "src/notes.types.ts",
    types.replace("  /** @maxLength 200 */\n  title: string;", "  title: Date;"),
  );
  const status = await project.kit(["migrate:status"]);
  assert.equal(status.code, 1);
  assert.match(
    status.out,
    /^ahead {2}the types have changes for which kit cannot write a migration: notes\.title: its type changes from /m,
  );
  assert.match(status.out, /^repair: notes\.title: add another property in a separate migration/m);
  assert.doesNotMatch(status.out, /kit migrate:generate/);
  const json = JSON.parse((await project.kit(["migrate:status", "--json"])).out) as {
    readonly types: Readonly<Record<string, string>>;
  };
  assert.deepEqual(Object.keys(json.types), ["refused"]);
  assert.match(json.types["refused"]!, /^notes\.title: its type changes from /);
});

test(
  "squash refuses directories with files that are no part of a migration",
  { timeout: 240_000 },
  async (t) => {
    const project = await Project.create(t, NOTES, stopped);
    const types = NOTES["src/notes.types.ts"]!;
    await project.kit(["migrate:generate", "--name", "one"]);
    await project.write("src/notes.types.ts", types.replace("title:", "note?: string;\n  title:"));
    await project.kit(["migrate:generate", "--name", "two"]);
    const [one] = await readdir(join(project.root, "migrations"));
    await project.write(`migrations/${one}/down.sql`, "DROP TABLE notes;\n");
    for (const more of [[], ["--dry-run"]]) {
      // oxlint-disable-next-line no-await-in-loop
      const refused = await project.kit(["migrate:squash", ...more]);
      assert.equal(refused.code, 1);
      assert.match(
        refused.err,
        /the squash would delete migrations\/\d{14}_one\/down\.sql, which is no part of a migration\nhelp: move or delete these files/,
      );
    }
    assert.equal((await readdir(join(project.root, "migrations"))).length, 2);
  },
);
