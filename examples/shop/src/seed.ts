// Adds products to an empty shop: `node src/seed.ts`. Products that exist already stay as they are.

import { drizzle } from "drizzle-orm/node-postgres";
import { productTags } from "../.kit/schemas/product_tags.ts";
import { products } from "../.kit/schemas/products.ts";
import { tags } from "../.kit/schemas/tags.ts";
import { pool } from "./database.ts";

const tagNames = {
  desk: "Desk",
  kitchen: "Kitchen",
  light: "Light",
  outdoors: "Outdoors",
  textile: "Textile",
};

/** Name, price in cents, stock, and tags of each product. */
const goods: readonly (readonly [string, number, number, ...(keyof typeof tagNames)[]])[] = [
  ["Bread board", 2_900, 14, "kitchen"],
  ["Brass hook", 900, 80, "kitchen"],
  ["Camp lantern", 5_400, 6, "light", "outdoors"],
  ["Canvas bag", 3_200, 25, "textile", "outdoors"],
  ["Clay pot", 1_800, 30, "kitchen", "outdoors"],
  ["Cork mat", 1_250, 40, "desk"],
  ["Cotton towel", 1_600, 60, "textile", "kitchen"],
  ["Desk lamp", 7_900, 12, "desk", "light"],
  ["Enamel mug", 1_400, 90, "kitchen", "outdoors"],
  ["Felt slippers", 4_500, 18, "textile"],
  ["Field notebook", 800, 120, "desk", "outdoors"],
  ["Folding stool", 6_500, 9, "outdoors"],
  ["Glass carafe", 3_900, 16, "kitchen"],
  ["Hand lens", 2_200, 22, "desk"],
  ["Ink bottle", 1_100, 35, "desk"],
  ["Iron pan", 5_900, 11, "kitchen"],
  ["Letter tray", 2_600, 20, "desk"],
  ["Linen apron", 4_200, 15, "textile", "kitchen"],
  ["Oak pencil box", 3_400, 13, "desk"],
  ["Oil lamp", 4_800, 7, "light"],
  ["Picnic blanket", 5_200, 10, "textile", "outdoors"],
  ["Reading light", 3_600, 24, "light", "desk"],
  ["Rope swing", 6_900, 5, "outdoors"],
  ["Salt jar", 1_700, 33, "kitchen"],
  ["Sun hat", 2_800, 27, "textile", "outdoors"],
  ["Tea light holder", 1_200, 50, "light"],
  ["Walnut tray", 4_400, 1, "kitchen", "desk"],
  ["Wool blanket", 9_800, 8, "textile"],
];

/** Time of the first product. Each further product is a minute newer, so that their order is always the same. */
const start = Date.UTC(2026, 0, 1);

const db = drizzle(pool);
await db.transaction(async (tx) => {
  const tagRows = Object.entries(tagNames).map(([slug, name]) => ({ slug, name }));
  await tx.insert(tags).values(tagRows).onConflictDoNothing();
  for (const [index, [name, price, stock, ...slugs]] of goods.entries()) {
    const slug = name.toLowerCase().replaceAll(" ", "-");
    const description = `${name}, made to be used every day and to be repaired.`;
    const createdAt = new Date(start + index * 60_000);
    const [product] = await tx
      .insert(products)
      .values({ slug, name, description, price, stock, createdAt })
      .onConflictDoNothing()
      .returning();
    if (product === undefined) continue;
    await tx.insert(productTags).values(slugs.map((tag) => ({ productId: product.id, tag })));
  }
});
await pool.end();
