import type { CartItem } from "./cart.types.ts";
import type { Cents, Product } from "./catalogue.types.ts";

/**
 * @table orders @owner accountId = ctx.auth.subject
 * @index orders_newest (accountId, placedAt, id)
 */
export interface Order {
  /** @id @generated uuid */
  id: string;
  /** @references Account.id */
  accountId: string;
  /** Sum of all items. */
  total: Cents;
  /** @generated now */
  placedAt: Date;
}

/**
 * Product of an order, with name and price at the time of the order.
 *
 * @table order_items @owner none
 */
export interface OrderItem {
  /** @id @references Order.id cascade */
  orderId: string;
  /** @id */
  slug: Product["slug"];
  name: Product["name"];
  price: Product["price"];
  quantity: CartItem["quantity"];
}

/** Order as the account that placed it sees it. */
export type OrderView = Pick<Order, "id" | "total" | "placedAt"> & { items: Omit<OrderItem, "orderId">[] };

/** Product of which the shop has fewer pieces than a cart. */
export interface SoldOut {
  slug: Product["slug"];
  name: Product["name"];
  /** Number of pieces that can be sold. @integer @minimum 0 */
  left: number;
}
