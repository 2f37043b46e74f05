import type { Cursor, CursorQuery, Failure, Reply, Route, Scopes } from "@kit/types";
import type { Order, OrderView, SoldOut } from "./orders.types.ts";

/** Orders of the user who is logged in. */
export interface OrderRoutes {
  /**
   * The cart is empty afterwards. If the connection is lost, send the request again with the same key: the shop orders once.
   *
   * @summary Orders the products in the cart
   */
  "POST /orders": Route<{
    headers: { "idempotency-key": string };
    response: Reply<201, OrderView, { location: string }>;
    errors: Failure<409, "CART_EMPTY"> | Failure<409, "SOLD_OUT", SoldOut>;
    auth: Scopes<"orders:write">;
  }>;

  /**
   * Newest first.
   *
   * @summary Lists orders, a page at a time
   */
  "GET /orders": Route<{
    query: CursorQuery;
    response: Cursor<OrderView>;
    auth: Scopes<"orders:read">;
  }>;

  /** @summary Reads an order */
  "GET /orders/:id": Route<{
    params: Pick<Order, "id">;
    response: OrderView;
    errors: Failure<404, "ORDER_NOT_FOUND">;
    auth: Scopes<"orders:read">;
  }>;
}
