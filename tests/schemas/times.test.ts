/**
 * Tests that timestamps which kit writes can be used as page cursors: pages by time and key must contain each row once. This holds for the
 * columns that kit creates (`timestamptz(3)`), for the `timestamp` columns of earlier migrations, and for such columns after their
 * conversion, with any time zone of the session and the process.
 */
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { createTestDatabase } from "@kit/dev-database";

import type { Cursor, Use } from "./fixtures/times/use-types.ts";
import { execute, projectModule, run } from "./project.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Columns that an earlier migration created as `timestamp` and a later one converted. */
const CONVERTED = "timestamptz(3), converted";
const TIMES = join(import.meta.dirname, "fixtures/times");
const NAMES = ["one", "two", "three", "four", "five"];

/** Rows that were written before the conversion. The times of the first two differ by less than a millisecond. */
const EARLIER = {
  "earlier 1": "2020-06-01 12:00:00.123456",
  "earlier 2": "2020-06-01 12:00:00.123999",
  "earlier 3": "2020-12-01 12:00:00.5",
};

describe("paging by time and key", { timeout: 300_000 }, () => {
  let home: string;
  const zone = process.env["TZ"];

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/times-"));
    process.env["TZ"] = "America/New_York";
  });
  after(async () => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
    await rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 });
  });

  for (const adapter of ["drizzle", "kysely", "raw"]) {
    for (const type of ["timestamptz(3)", "timestamp", CONVERTED]) {
      test(`returns each inserted row exactly once with ${adapter}, in columns of type ${type}`, async () => {
        const project = join(home, `${adapter}-${type.replaceAll(/\W/g, "")}`);
        const sql = await prepare(project, adapter, type);
        await using database = await createTestDatabase({
          dataDir: join(home, "data"),
          template: { key: type, prepare: (url) => execute(url, sql) },
        });
        const begun = Date.now();
        const { use } = await projectModule<{ use: Use }>(project, "use.ts");
        const events = await use(database.url, "-c TimeZone=Asia/Tokyo", NAMES);
        try {
          const { inserted } = events;
          for (const time of inserted.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])) {
            // PostgreSQL rounds the time to milliseconds.
            assert.ok(
              time.getTime() >= begun - 1 && time.getTime() <= Date.now() + 1,
              `${time.toISOString()} is now`,
            );
          }
          const stored = await database.query(
            "SELECT DISTINCT extract(epoch FROM created_at)::text, pg_typeof(created_at)::text FROM events WHERE name NOT LIKE 'earlier%'",
          );
          assert.equal(stored.length, 1, "one insert has one time");
          const isOld = type === "timestamp";
          assert.equal(stored[0]?.[1], `timestamp ${isOld ? "without" : "with"} time zone`);
          // The stored time is in UTC and has no fraction of a millisecond.
          assert.equal(Number(stored[0]?.[0]) * 1000, inserted[0]?.createdAt.getTime());

          const listed: string[] = [];
          let cursor: Cursor | undefined;
          for (let page = 0; page < NAMES.length; page += 1) {
            // oxlint-disable-next-line no-await-in-loop -- a page begins where the last one ends
            const rows = await events.page(cursor, 2);
            listed.push(...rows.map(({ name }) => name));
            cursor = rows.at(-1) ?? cursor;
          }
          const earlier = type === CONVERTED ? Object.keys(EARLIER) : [];
          assert.deepEqual(listed.toSorted(), [...NAMES, ...earlier].toSorted());
          const kept = await database.query(
            "SELECT name, (extract(epoch FROM created_at) * 1000)::text FROM events WHERE name LIKE 'earlier%' ORDER BY name",
          );
          assert.deepEqual(
            kept.map(([name, time]) => [name, Number(time)]),
            earlier.length === 0
              ? []
              : [
                  ["earlier 1", Date.UTC(2020, 5, 1, 12, 0, 0, 123)],
                  ["earlier 2", Date.UTC(2020, 5, 1, 12, 0, 0, 123)],
                  ["earlier 3", Date.UTC(2020, 11, 1, 12, 0, 0, 500)],
                ],
            "times before the conversion are UTC",
          );

          const [first] = inserted;
          assert.ok(first);
          assert.equal((await events.ofTime(first.updatedAt)).length, NAMES.length);
          const renamed = await events.rename(first.id, "renamed");
          assert.ok(
            renamed && renamed.updatedAt >= first.updatedAt && renamed.updatedAt.getTime() <= Date.now() + 1,
          );
          assert.ok((await events.ofTime(renamed.updatedAt)).some(({ id }) => id === first.id));
        } finally {
          await events.end();
        }
      });
    }
  }
});

/** Creates a project whose columns have this type. Returns the SQL that creates its tables. */
async function prepare(project: string, adapter: string, type: string): Promise<string> {
  await mkdir(join(project, "src"), { recursive: true });
  await cp(join(TIMES, "events.types.ts"), join(project, "src/events.types.ts"));
  await cp(join(TIMES, "use-types.ts"), join(project, "use-types.ts"));
  await cp(join(TIMES, `${adapter}.ts`), join(project, "use.ts"));
  const isOld = type !== "timestamptz(3)";
  const made =
    type === "timestamp" && adapter === "kysely"
      ? 'export { eventsOnInsert as made } from "./.kit/schemas/events.ts";\n'
      : "export const made = () => ({});\n";
  await writeFile(join(project, "made.ts"), made);
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ name: adapter, type: "module", kit: { database: { adapter } } }),
  );
  const { compilerOptions } = JSON.parse(
    await readFile(join(ROOT, "examples/teams/tsconfig.json"), "utf8"),
  ) as { compilerOptions: object };
  const include = ["*.ts", "src", ".kit/schemas"];
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  await run(project, "@kit/cli/bin/kit.js", "migrate:generate", "--name", "events");
  const [name] = await readdir(join(project, "migrations"));
  assert.ok(name !== undefined);
  const sql = join(project, "migrations", name, "migration.sql");
  assert.match(await readFile(sql, "utf8"), /created_at timestamptz\(3\) DEFAULT now\(\) NOT NULL/);
  if (isOld) {
    // Rewrites the migration to that of an earlier version of kit.
    await rewrite(sql, "timestamptz(3)", "timestamp");
    await rewrite(join(project, "migrations", name, "snapshot.json"), '"timestamptz"', '"timestamp"');
    await rewrite(join(project, "migrations", name, "changes.json"), '"timestamptz"', '"timestamp"');
  }
  await run(project, "@kit/cli/bin/kit.js", "build");
  const pending = (await readdir(join(project, ".kit/migrations"))).filter((file) =>
    file.startsWith("pending"),
  );
  assert.deepEqual(pending, [], "nothing is planned for columns that are there");
  const tables = await readFile(sql, "utf8");
  const conversion = type === CONVERTED ? await convert(project) : "";
  await run(project, "typescript/bin/tsc", "--project", ".");
  return `${tables}\n${conversion}`;
}

/** Makes kit generate the migration that converts all columns. Returns the SQL of existing rows, and of the migration. */
async function convert(project: string): Promise<string> {
  const schema = (): Promise<string> => readFile(join(project, ".kit/schemas/events.ts"), "utf8");
  // Matches code that only `timestamp` columns need, for drizzle, kysely and raw.
  const forTimestamps = /date_trunc|OnInsert|onInsert|timestamps: \[/;
  assert.match(await schema(), forTimestamps);
  await run(project, "@kit/cli/bin/kit.js", "migrate:generate", "--name", "times", "--convert-timestamps");
  const [, name] = (await readdir(join(project, "migrations"))).toSorted();
  assert.ok(name !== undefined);
  await run(project, "@kit/cli/bin/kit.js", "build");
  assert.doesNotMatch(await schema(), forTimestamps);
  const rows = Object.entries(EARLIER).map(([row, time]) => `('${row}', '${time}', '${time}')`);
  return [
    `INSERT INTO events (name, created_at, updated_at) VALUES ${rows.join(", ")};`,
    "SET timezone = 'Asia/Tokyo';",
    await readFile(join(project, "migrations", name, "migration.sql"), "utf8"),
  ].join("\n");
}

async function rewrite(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, "utf8")).replaceAll(from, to));
}
