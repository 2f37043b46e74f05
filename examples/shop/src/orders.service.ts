import { defineKeyset } from "@kit/core/keyset";
import { ConflictError, NotFoundError } from "@kit/errors";
import type { Cursor, CursorQuery } from "@kit/types";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { accounts } from "../.kit/schemas/accounts.ts";
import { cartItems } from "../.kit/schemas/cart_items.ts";
import { orderItems } from "../.kit/schemas/order_items.ts";
import { type OrderRow, orders } from "../.kit/schemas/orders.ts";
import { products } from "../.kit/schemas/products.ts";
import { totalOf } from "./cart.service.ts";
import { type Caller, dbOf } from "./database.ts";
import type { OrderView, SoldOut } from "./orders.types.ts";

const newest = defineKeyset({
  list: "orders",
  order: "desc",
  columns: { placed_at: "timestamptz", id: "uuid" },
});

/**
 * Orders the products in the cart of an account. The route runs in the transaction of an idempotency key, so that a request
 * that is repeated orders once. Throws 409 if the cart is empty, or if the shop has too few pieces of a product.
 */
export async function placeOrder(ctx: Caller, accountId: string): Promise<OrderView> {
  const db = dbOf(ctx);
  // Two requests of an account order one after the other, so that both cannot use the same cart.
  await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for("update");
  const lines = await takeFromStock(ctx, accountId);
  const values = { accountId, total: totalOf(lines) };
  const [order] = await db.insert(orders).values(values).returning();
  const orderId = order!.id;
  const items = lines.map(({ slug, name, price, quantity }) => ({ orderId, slug, name, price, quantity }));
  await db.insert(orderItems).values(items);
  await db.delete(cartItems).where(eq(cartItems.accountId, accountId));
  return viewOf(ctx, order!);
}

/** Reduces the stock of the products in a cart, and returns the lines of the cart. */
async function takeFromStock(ctx: Caller, accountId: string) {
  const { id, slug, name, price, stock } = products;
  const { quantity } = cartItems;
  const lines = await dbOf(ctx)
    .select({ id, slug, name, price, stock, quantity })
    .from(cartItems)
    .innerJoin(products, eq(id, cartItems.productId))
    .where(eq(cartItems.accountId, accountId))
    // All orders lock products in the same order, so that no two orders wait for each other.
    .orderBy(asc(id))
    .for("update");
  if (lines.length === 0) throw new ConflictError("CART_EMPTY", "The cart is empty");
  for (const line of lines) {
    if (line.quantity > line.stock) throw soldOut({ slug: line.slug, name: line.name, left: line.stock });
    const left = { stock: line.stock - line.quantity };
    await dbOf(ctx).update(products).set(left).where(eq(id, line.id));
  }
  return lines;
}

function soldOut(details: SoldOut): ConflictError {
  const { name, left } = details;
  return new ConflictError("SOLD_OUT", `The shop has only ${left} of these: ${name}`, details);
}

/** Returns one page of the orders of an account, the newest first. */
export async function listOrders(
  ctx: Caller,
  accountId: string,
  query: CursorQuery,
): Promise<Cursor<OrderView>> {
  const page = newest.page({ ...query, accountId });
  const rows = await dbOf(ctx)
    .select({
      id: orders.id,
      total: orders.total,
      placedAt: orders.placedAt,
      cursorKey: page.key(sql<string>),
    })
    .from(orders)
    .where(and(eq(orders.accountId, accountId), page.where(sql)))
    .orderBy(page.orderBy(sql))
    .limit(page.limit);
  const { data, ...cursors } = page.of(rows);
  return { data: await withItems(ctx, data), ...cursors };
}

/** Returns an order of an account. Throws 404 if the account has no such order. */
export async function readOrder(ctx: Caller, accountId: string, id: string): Promise<OrderView> {
  const own = and(eq(orders.accountId, accountId), eq(orders.id, id));
  const [order] = await dbOf(ctx).select().from(orders).where(own);
  if (order === undefined) throw new NotFoundError("ORDER_NOT_FOUND", "There is no such order");
  return viewOf(ctx, order);
}

async function viewOf(ctx: Caller, { id, total, placedAt }: OrderRow): Promise<OrderView> {
  const [view] = await withItems(ctx, [{ id, total, placedAt }]);
  return view!;
}

/** Adds the items of orders, with one query. */
async function withItems(ctx: Caller, found: readonly Omit<OrderView, "items">[]): Promise<OrderView[]> {
  const ids = found.map(({ id }) => id);
  const items = await dbOf(ctx)
    .select()
    .from(orderItems)
    .where(inArray(orderItems.orderId, ids))
    .orderBy(asc(orderItems.name), asc(orderItems.slug));
  const itemsOf = Map.groupBy(items, ({ orderId }) => orderId);
  return found.map((order) => ({ ...order, items: itemsOf.get(order.id) ?? [] }));
}
