/**
 * Tests a column of every kind, from the types to the rows. `kit build` writes the schema files and the migration, and `tsc --strict`
 * accepts the files with the real library. A real database returns the stored values for a key of two columns.
 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Client } from "pg";

import { projectModule, schemaProject } from "./project.ts";

const ROOT = join(import.meta.dirname, "../..");
const KINDS = join(import.meta.dirname, "fixtures/kinds");

/** Row of a table, by the names of the properties. */
type Row = Record<string, unknown>;

describe("a column of every kind", { timeout: 300_000 }, () => {
  let home: string;

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/kinds-"));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 }));

  for (const adapter of ["drizzle", "kysely", "raw"]) {
    test(`is stored and read with ${adapter}`, async () => {
      await using project = await schemaProject(home, KINDS, adapter, "visits.types.ts");
      const { root, url } = project;
      const { use } = await projectModule<{ use: (url: string) => Promise<[Row, Row, Row, string]> }>(
        root,
        "use.ts",
      );
      const { first, second } = await projectModule<{ first: Row; second: Row }>(root, "values.ts");
      const [inserted, changed, found, twice] = await use(url);

      // A bigint column is read as a bigint. drizzle reads it as a number, because the type limits its size.
      const bytesTotal = adapter === "drizzle" ? first["bytesTotal"] : BigInt(Number(first["bytesTotal"]));
      const rooms = (first["rooms"] as number[]).map((room) => (adapter === "drizzle" ? room : BigInt(room)));
      const filledIn = {
        bytesTotal,
        rooms,
        labels: ["own", `it's, "so"`],
        moods: [],
        weather: "it's dry",
        remark: null,
        state: "planned",
        open: true,
        discount: "0.500",
        lastDay: "2026-12-31",
      };
      const { placeId, updatedAt, event } = inserted;
      assert.match(String(event), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const made = Number.parseInt(String(event).replace("-", "").slice(0, 12), 16);
      assert.ok(Math.abs(Date.now() - made) < 60_000, "the UUID begins with the time");
      assert.deepEqual(
        comparable(inserted),
        comparable({ ...first, ...filledIn, placeId, updatedAt, event }),
      );
      assert.deepEqual(
        comparable(changed),
        comparable({ ...inserted, ...second, updatedAt: changed["updatedAt"] }),
      );
      assert.ok((changed["updatedAt"] as Date) > (inserted["updatedAt"] as Date), "an update sets the time");
      assert.deepEqual(comparable(found), comparable(changed));
      assert.match(twice, /visits_pkey/);
      const count = "SELECT count(*)::text AS v FROM visits WHERE guest_email = 'ADA@example.ORG'";
      assert.equal(await firstValue(url, count), "1");
      for (const [set, rule] of [
        ["labels = '{a,NULL}'", "visits_labels_elements_check"],
        ["labels = '{1,2,3,4,5,6,7,8,9}'", "visits_labels_items_check"],
        ["moods = '{calm,NULL}'", "visits_moods_elements_check"],
        ["moods = '{angry}'", "visits_moods_elements_check"],
        ["weights = '{}'", "visits_weights_items_check"],
        ["guest_email = repeat('x', 41)", "visits_guest_email_length_check"],
      ]) {
        await assert.rejects(firstValue(url, `UPDATE visits SET ${set}`), new RegExp(`"${rule}"`), set);
      }
    });
  }
});

/** Returns a row whose bytes are lists of numbers, because the drivers have different classes for bytes. */
function comparable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? [...value] : value]),
  );
}

/** Executes SQL and returns the value `v` of the first row. */
async function firstValue(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ v: unknown }>(sql);
    return rows[0]?.v;
  } finally {
    await client.end();
  }
}
