import { randomInt } from "node:crypto";
import { addProduct } from "./people.ts";

/** Adds a product and returns its id. */
export async function productId(): Promise<string> {
  const slug = await addProduct();
  const { pool } = await import("../src/database.ts");
  const { rows } = await pool.query<{ id: string }>("SELECT id FROM products WHERE slug = $1", [slug]);
  return rows[0]!.id;
}

/** Returns the body of a request that adds a delivery of products, with a tracking number that no number of JavaScript has. */
export function newDelivery(productIds: readonly string[]) {
  return {
    trackingNumber: String(2n ** 53n + BigInt(randomInt(2 ** 40))),
    freight: "12.50",
    packing: { kind: "pallet", layers: 2, stackable: true },
    items: productIds.map((id) => ({ productId: id, quantity: 3, purchasePrice: "4.05" })),
  };
}
