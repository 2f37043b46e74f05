/**
 * Tests the relations that schema files have for foreign keys, in both directions, with the real libraries and a real database: `kit build`
 * writes them, `tsc --strict` accepts their uses, and one query reads rows with their related rows.
 */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { projectModule, schemaProject } from "./project.ts";

const ROOT = join(import.meta.dirname, "../..");
const FIXTURES = join(import.meta.dirname, "fixtures/relations");

/** Row with related rows. */
// oxlint-disable-next-line typescript/no-explicit-any
type Row = Record<string, any>;

describe("relations of foreign keys", { timeout: 300_000 }, () => {
  let home: string;

  before(async () => {
    // The project is below the repository, so that Node finds the libraries.
    await mkdir(join(ROOT, "target"), { recursive: true });
    home = await mkdtemp(join(ROOT, "target/relations-"));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 200, retryDelay: 100 }));

  test("read rows with their related rows in one query of drizzle, without a loss of digits", async () => {
    await using project = await schemaProject(home, FIXTURES, "drizzle", "shop.types.ts");
    const { root, url } = project;
    const { use } = await projectModule<{ use: (url: string) => Promise<Row> }>(root, "use.ts");
    const { exact } = await projectModule<{ exact: Row }>(root, "values.ts");
    const { read, quoted, people, all, item, inexact, alone, refused } = await use(url);
    const named = { from: "a", größe: "b", where: null, 'the "ä" — of\'s': null };
    assert.deepEqual(quoted, [
      { from: "a", whereSelect: null, 'the "ä" — of\'sSelect': null },
      { from: "c", whereSelect: { from: "a" }, 'the "ä" — of\'sSelect': named },
    ]);
    assert.equal(read["customer"].name, "ben");
    assert.equal(read["orderItems"], 1, "the column keeps its name");
    assert.deepEqual(
      [read["shop"].owner.name, read["shop"].owner.profile.text, read["shop"].manager.name],
      ["ada", "Hello", "ben"],
    );
    const slugs = item.product.productTags.map((row: Row) => row["tag"].slug);
    assert.deepEqual(slugs.toSorted(), ["red", "wood"]);
    for (const name of ["price", "weight", "packedAt", "formerPrices", "parts"])
      assert.deepEqual(item[name], exact[name], name);
    assert.deepEqual([...item.seal], [...exact["seal"]]);
    const [ada, ben] = people;
    assert.deepEqual(
      [ada.name, ada.shopsByOwner.length, ada.shopsByManager.length, ada.orders.length],
      ["ada", 1, 0, 0],
    );
    assert.deepEqual(
      [ben.name, ben.shopsByOwner.length, ben.shopsByManager.length, ben.orders.length],
      ["ben", 0, 1, 1],
    );
    assert.deepEqual([ada.profile.text, ben.profile], ["Hello", null]);
    assert.equal(all.parent, null);
    assert.deepEqual(all.categoriesByParent, [{ name: "chairs", parentName: "all" }]);
    assert.match(inexact[0], /price.*more digits than JSON/);
    assert.match(inexact[1], /weight.*more digits than JSON/);
    assert.match(inexact[2], /former_?[pP]rices.*more digits than JSON/);
    assert.match(inexact[3], /parts.*more digits than JSON/);
    assert.deepEqual(
      alone.parts,
      [9_223_372_036_854_775_807n],
      "a query of the table itself reads every digit",
    );
    assert.match(refused, /violates foreign key constraint/, "the shop of an item is that of its order");
  });

  test("add related rows to rows of kysely as JSON", async () => {
    await using project = await schemaProject(home, FIXTURES, "kysely", "shop.types.ts");
    const { root, url } = project;
    const { use } = await projectModule<{ use: (url: string) => Promise<Row> }>(root, "use.ts");
    const { read, quoted, people, categories, shop } = await use(url);
    const named = { from: "a", GroupBy: "b", where: null, the_ä_of_s: null };
    assert.deepEqual(quoted, [
      { from: "a", first: null, second: null },
      { from: "c", first: { GroupBy: "b" }, second: named },
    ]);
    assert.deepEqual(read, {
      order_items: 1n,
      customer: { name: "ben" },
      items: [{ sku: "chair", packed_at: "2026-03-29T01:30:00.123+00:00", price: "1234567890123.10" }],
    });
    assert.deepEqual(people, [
      { name: "ada", owned: [{ id: shop.id }], managed: [] },
      { name: "ben", owned: [], managed: [{ id: shop.id }] },
    ]);
    assert.deepEqual(categories, [
      { name: "all", parent: null, children: [{ name: "chairs" }] },
      { name: "chairs", parent: { name: "all" }, children: [] },
    ]);
  });
});
