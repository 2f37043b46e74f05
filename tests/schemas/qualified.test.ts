/**
 * Tests tables in several schemas of the database (`@table billing.invoices`) with every query builder: `kit build` writes the schema files,
 * `tsc --strict` accepts their uses, and rows are stored and read. A table of another schema has the same name.
 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { Client } from "pg";

import { projectModule, schemaProject } from "./project.ts";

const ROOT = join(import.meta.dirname, "../..");
const FIXTURES = join(import.meta.dirname, "fixtures/qualified");

describe("tables in several schemas", { timeout: 300_000 }, () => {
  let home: string;

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/qualified-"));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 }));

  for (const adapter of ["drizzle", "kysely", "raw"]) {
    test(`${adapter} stores and reads rows of tables with the same name in two schemas`, async () => {
      await using project = await schemaProject(home, FIXTURES, adapter, "bills.types.ts");
      const { use } = await projectModule<{ use: (url: string) => Promise<unknown[]> }>(
        project.root,
        "use.ts",
      );
      const found = await use(project.url);
      const bill = { number: "draft", of: "2026-1", state: "paid", tags: ["it's", "new"] };
      assert.deepEqual(found, [[bill], "Ada", ["draft"], 1, "taken"]);
      const client = new Client({ connectionString: project.url });
      await client.connect();
      const { rows } = await client.query(
        "SELECT (SELECT count(*)::int FROM public.invoices) AS drafts, (SELECT count(*)::int FROM billing.invoices) AS bills",
      );
      await client.end();
      assert.deepEqual(rows, [{ drafts: 1, bills: 1 }]);
    });
  }
});
