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
