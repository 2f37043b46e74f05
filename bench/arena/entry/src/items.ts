import { readFileSync } from "node:fs";
import { Pool } from "pg";

import type { Item, PriceRange } from "./arena.types.ts";
import { connections, datasetDirectory } from "./environment.ts";

/** Items of the data set, which are read once when the process starts. */
export const items: readonly Item[] = JSON.parse(
  readFileSync(`${datasetDirectory}/dataset.json`, "utf8"),
) as Item[];

const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  max: connections,
});
pool.on("error", (error) => console.error(error.message));

type Row = Omit<Item, "rating"> & { readonly rating_score: number; readonly rating_count: number };

/** Query that PostgreSQL prepares once for each connection. */
const query = {
  name: "items-of-a-price",
  text: `select id, name, category, price, quantity, active, tags, rating_score, rating_count
    from items where price between $1 and $2 limit $3`,
};

/** Returns items of a range of prices from PostgreSQL. */
export async function itemsOfPrice({ min, max, limit }: PriceRange): Promise<Item[]> {
  const { rows } = await pool.query<Row>({ ...query, values: [min, max, limit] });
  return rows.map(itemOf);
}

function itemOf({ rating_score: score, rating_count: count, ...item }: Row): Item {
  return { ...item, rating: { score, count } };
}
