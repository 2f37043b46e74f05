// Tests the copy of the rows that `reset()` of a suite restores, on tables with a policy.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createTestDatabase } from "@kit/dev-database";

import { snapshotOf } from "../src/suite/snapshot.ts";

const SQL = `
  CREATE TABLE tasks (id integer PRIMARY KEY, tenant text NOT NULL);
  INSERT INTO tasks VALUES (1, 'acme');
  CREATE POLICY kit_tenant ON tasks USING (tenant = NULLIF(current_setting('kit.tenant', true), '')::text);
  ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
  ALTER TABLE tasks FORCE ROW LEVEL SECURITY;
  GRANT ALL ON tasks TO pg_monitor;
`;

/** Continues as a role of PostgreSQL itself that is no superuser, but may copy rows. */
const AS_ROLE = `
  DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO pg_monitor', current_database()); END $$;
  SET ROLE pg_monitor;
`;

test("rows of tenants are restored if the role of the suite sees them", async () => {
  await using database = await createTestDatabase();
  await database.query(SQL);
  const snapshot = await snapshotOf((sql) => database.query(sql));
  await database.query("DELETE FROM tasks");
  await snapshot.restore();
  assert.deepEqual(await database.query("SELECT id, tenant FROM tasks"), [["1", "acme"]]);
});

test("reset is refused if a policy hides rows from the role of the suite", async () => {
  await using database = await createTestDatabase();
  await database.query(SQL);
  // A role of PostgreSQL itself that is no superuser.
  await database.query("SET ROLE pg_monitor");
  const snapshot = await snapshotOf((sql) => database.query(sql));
  await assert.rejects(
    snapshot.restore(),
    /cannot restore the rows of public\.tasks, because a policy .* Use a role with SUPERUSER or BYPASSRLS/,
  );
});

for (const [title, policies] of [
  ["for all roles", "CREATE POLICY open ON tasks USING (true)"],
  [
    "for a role that the suite has",
    "CREATE POLICY open ON tasks TO pg_read_all_settings USING (true) WITH CHECK (true)",
  ],
] as const) {
  test(`rows are restored if a policy shows all of them, ${title}`, async () => {
    await using database = await createTestDatabase();
    await database.query(`${SQL} ${policies}`);
    await database.query(AS_ROLE);
    const snapshot = await snapshotOf((sql) => database.query(sql));
    await database.query("DELETE FROM tasks");
    await snapshot.restore();
    assert.deepEqual(await database.query("SELECT id, tenant FROM tasks"), [["1", "acme"]]);
  });
}

for (const [title, policies] of [
  ["shows all rows only to another role", "CREATE POLICY open ON tasks TO pg_signal_backend USING (true)"],
  ["shows all rows only to SELECT", "CREATE POLICY open ON tasks FOR SELECT USING (true)"],
  ["refuses new rows", "CREATE POLICY open ON tasks USING (true) WITH CHECK (false)"],
  [
    "is restrictive beside one that shows all rows",
    "CREATE POLICY open ON tasks USING (true); CREATE POLICY closed ON tasks AS RESTRICTIVE USING (id > 1)",
  ],
] as const) {
  test(`reset is refused if a policy ${title}`, async () => {
    await using database = await createTestDatabase();
    await database.query(`${SQL} ${policies}`);
    await database.query(AS_ROLE);
    const snapshot = await snapshotOf((sql) => database.query(sql));
    await assert.rejects(snapshot.restore(), /cannot restore the rows of public\.tasks, because a policy/);
  });
}
