// Tests `kit migrate:squash` on the embedded database.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { NOTES, Project } from "./support/project.ts";
import { stopped } from "./support/stopped.ts";

test(
  "migrate:squash replaces the migrations up to the given one, or reports them",
  { timeout: 240_000 },
  async (t) => {
    const project = await Project.create(t, NOTES, stopped);
    const json = async (...args: string[]) => {
      const { code, out, err } = await project.kit([...args, "--json"]);
      assert.equal(err, "");
      return { code, report: JSON.parse(out) as Record<string, unknown> };
    };
    const directories = () => readdir(join(project.root, "migrations"));
    const types = NOTES["src/notes.types.ts"]!;

    await json("migrate:generate", "--name", "one");
    const few = await json("migrate:squash");
    assert.equal(few.code, 1);
    assert.partialDeepStrictEqual(few.report["failures"], [
      {
        message: "nothing to squash: migrations/ contains 1 migration up to there",
        suggestion: "a squash replaces two or more migrations",
      },
    ]);

    await project.write("src/notes.types.ts", types.replace("title:", "note?: string;\n  title:"));
    await json("migrate:generate", "--name", "two");
    await project.write(
      "src/notes.types.ts",
      types.replace("title:", "note?: string;\n  more?: string;\n  title:"),
    );
    await json("migrate:generate", "--name", "three");
    assert.equal((await json("migrate:apply")).code, 0);
    const [one, two, three] = await directories();

    const unknown = await json("migrate:squash", "--to", "20200101000000_none");
    assert.partialDeepStrictEqual(unknown.report["failures"], [
      { message: "migrations/ has no migration `20200101000000_none`" },
    ]);
    const taken = await json("migrate:squash", "--to", two!, "--name", "two");
    assert.partialDeepStrictEqual(taken.report["failures"], [
      { message: `\`${two}\` is the name of a replaced migration` },
    ]);

    const path = `migrations/${two!.split("_")[0]}_base`;
    const expected = { path, replaces: [one, two], rows: [], keptStatements: [], leftOutStatements: [] };
    const dry = await json("migrate:squash", "--to", two!, "--name", "base", "--dry-run");
    assert.deepEqual(dry, { code: 0, report: { status: "dry-run", ...expected } });
    assert.deepEqual(await directories(), [one, two, three]);
    const squashed = await json("migrate:squash", "--to", `migrations/${two}/`, "--name", "base");
    assert.deepEqual(squashed, { code: 0, report: { status: "squashed", ...expected } });
    assert.deepEqual(await directories(), [path.replace("migrations/", ""), three]);

    const applied = await project.kit(["migrate:apply"], { CI: "true" });
    assert.deepEqual(
      [applied.code, applied.out],
      [0, "nothing to apply: the database has all 2 migrations\n"],
    );
    const status = await project.kit(["migrate:status"]);
    assert.equal(status.code, 0, status.out);
    const reset = await project.kit(["db", "reset", "--yes"]);
    assert.deepEqual([reset.code, reset.out], [0, "the database is new, with 2 migrations\n"]);
    assert.equal((await project.kit(["migrate:status"])).code, 0);
    assert.equal((await json("migrate:generate", "--check")).report["status"], "unchanged");
  },
);

test(
  "an edited migration is recorded on the own machine and refused in CI",
  { timeout: 240_000 },
  async (t) => {
    const project = await Project.create(t, NOTES, stopped);
    await project.kit(["migrate:generate", "--name", "one"]);
    const [name] = await readdir(join(project.root, "migrations"));
    const file = `migrations/${name}/migration.sql`;
    await project.write(
      file,
      `${await project.read(file)}\nCREATE VIEW titles AS SELECT title FROM notes;\n`,
    );
    for (const args of [["migrate:apply"], ["migrate:generate", "--check"]]) {
      // oxlint-disable-next-line no-await-in-loop
      const refused = await project.kit(args, { CI: "true" });
      assert.equal(refused.code, 1);
      assert.match(refused.err, /snapshot\.json does not describe the result of the SQL in migrations/);
    }
    const applied = await project.kit(["migrate:apply"], { CI: "" });
    assert.equal(applied.code, 0, applied.err);
    assert.match(applied.err, /snapshot\.json now describes the result of migration\.sql; commit the file/);
    const status = await project.kit(["migrate:status"]);
    assert.equal(status.code, 0, status.out);
    assert.equal((await project.kit(["migrate:apply"], { CI: "true" })).code, 0);
  },
);
