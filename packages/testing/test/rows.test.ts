// Tests the rows that a suite inserts for values of factories, in tables of several schemas of the database.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { createTestDatabase } from "@kit/dev-database";

import { ProjectTypes } from "../src/project/known-types.ts";
import { Rows } from "../src/suite/rows.ts";

const SQL = `
  CREATE SCHEMA billing;
  CREATE TABLE billing."order" (id integer PRIMARY KEY, made_at timestamptz NOT NULL);
  CREATE TABLE "order" (id integer PRIMARY KEY, name text NOT NULL);
`;

/** Returns the description of a type in `schemas.json`. */
const entry = (name: string, table: string, properties: readonly string[]): object => ({
  name,
  origin: "named",
  file: "src/orders.types.ts",
  table,
  properties: properties.map((property) => ({ name: property, type: "string", tags: [] })),
});

let root: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let rows: Rows;

before(async () => {
  root = await mkdtemp(join(await realpath(tmpdir()), "kit-rows-"));
  const types = {
    Bill: entry("Bill", "billing.order", ["id", "madeAt"]),
    Order: entry("Order", "order", ["id", "name"]),
    Lost: entry("Lost", "billing.lost", ["id"]),
  };
  await mkdir(join(root, ".kit"));
  await writeFile(join(root, ".kit/schemas.json"), JSON.stringify(types));
  database = await createTestDatabase();
  await database.query(SQL);
  rows = new Rows(ProjectTypes.find(root), (sql) => database.query(sql));
});

after(async () => {
  await database?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

test("inserts a row into the table of the schema, although another schema has a table with the same name", async () => {
  await rows.insert("Bill", [{ id: 1, madeAt: new Date(0) }]);
  await rows.insert("Order", [{ id: 2, name: "it's" }]);
  assert.deepEqual(await database.query('SELECT id FROM billing."order"'), [["1"]]);
  assert.deepEqual(await database.query('SELECT id, name FROM public."order"'), [["2", "it's"]]);
});

test("names the missing table with its schema", async () => {
  await assert.rejects(rows.insert("Lost", [{ id: 1 }]), {
    message:
      "The test database has no table billing.lost. Create a migration: `kit migrate:generate --name create_lost`",
  });
});
