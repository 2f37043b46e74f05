import { ConflictError } from "@kit/errors";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { cartItems } from "../.kit/schemas/cart_items.ts";
import { products } from "../.kit/schemas/products.ts";
import type { Cart, CartLine } from "./cart.types.ts";
import { readProduct } from "./catalogue.service.ts";
import type { Slug } from "./catalogue.types.ts";
import { type Caller, dbOf } from "./database.ts";

/** Returns the cart of an account. */
export async function readCart(ctx: Caller, accountId: string): Promise<Cart> {
  const { slug, name, price, stock } = products;
  const lines = await dbOf(ctx)
    .select({ slug, name, price, stock, quantity: cartItems.quantity })
    .from(cartItems)
    .innerJoin(products, eq(products.id, cartItems.productId))
    .where(eq(cartItems.accountId, accountId))
    .orderBy(asc(products.name), asc(products.id));
  return { lines, total: totalOf(lines) };
}

/** Returns the sum of lines in cents. */
export function totalOf(lines: readonly Pick<CartLine, "price" | "quantity">[]): number {
  return lines.reduce((total, { price, quantity }) => total + price * quantity, 0);
}

/** Maximum number of products in a cart. */
const mostLines = 100;

/** Sets the quantity of a product in the cart. Throws 404 if there is no such product, and 409 if the cart is full. */
export async function setQuantity(
  ctx: Caller,
  accountId: string,
  slug: Slug,
  quantity: number,
): Promise<Cart> {
  const { id: productId } = await readProduct(ctx, slug);
  const others = and(eq(cartItems.accountId, accountId), ne(cartItems.productId, productId));
  if ((await dbOf(ctx).$count(cartItems, others)) >= mostLines) {
    throw new ConflictError("CART_FULL", `A cart has at most ${mostLines} products`);
  }
  await dbOf(ctx)
    .insert(cartItems)
    .values({ accountId, productId, quantity })
    .onConflictDoUpdate({ target: [cartItems.accountId, cartItems.productId], set: { quantity } });
  return readCart(ctx, accountId);
}

/** Takes a product out of the cart. */
export async function removeFromCart(ctx: Caller, accountId: string, slug: Slug): Promise<Cart> {
  const product = dbOf(ctx).select({ id: products.id }).from(products).where(eq(products.slug, slug));
  await dbOf(ctx)
    .delete(cartItems)
    .where(and(eq(cartItems.accountId, accountId), inArray(cartItems.productId, product)));
  return readCart(ctx, accountId);
}
