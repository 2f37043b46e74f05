/** Parts that the peers in JavaScript share: the data set, the priced items, and the rows of PostgreSQL. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";

const directory = process.env.ARENA_DATA;
const items = JSON.parse(readFileSync(join(directory, "dataset.json"), "utf8"));
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });

export const port = Number(process.env.PORT);
const { ARENA_TLS_CERT: certificate, ARENA_TLS_KEY: privateKey } = process.env;
/** Certificate and key of a process that speaks TLS only. */
export const tls =
  certificate && privateKey ? { cert: readFileSync(certificate), key: readFileSync(privateKey) } : undefined;
export const staticDirectory = join(directory, "static");

/** Returns the first items with the price of their whole quantity. */
export function priced(count, multiplier) {
  const found = items.slice(0, count).map((item) => pricedItem(item, multiplier));
  return { count: found.length, items: found };
}

function pricedItem(item, multiplier) {
  return { ...item, total: item.price * item.quantity * multiplier };
}

/** Returns items of a range of prices from PostgreSQL. */
export async function stored(min, max, limit) {
  const { rows } = await pool.query({
    name: "items-of-a-price",
    text: `select id, name, category, price, quantity, active, tags, rating_score, rating_count
      from items where price between $1 and $2 limit $3`,
    values: [min, max, limit],
  });
  const found = rows.map(itemOf);
  return { count: found.length, items: found };
}

function itemOf({ rating_score: score, rating_count: count, ...item }) {
  return { ...item, rating: { score, count } };
}

// The process exits when the benchmark exits or is killed, because its end of the pipe closes then.
process.stdin.resume().on("end", () => process.exit());
