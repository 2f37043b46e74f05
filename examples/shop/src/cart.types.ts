import type { Cents, Product } from "./catalogue.types.ts";

/**
 * Product in the cart of an account.
 *
 * @table cart_items @owner accountId = ctx.auth.subject
 */
export interface CartItem {
  /** @id @references Account.id cascade */
  accountId: string;
  /** @id @references Product.id cascade @index */
  productId: string;
  /**
   * @integer
   * @minimum 1
   * @maximum 99
   */
  quantity: number;
}

/** Line of a cart. */
export type CartLine = Pick<Product, "slug" | "name" | "price" | "stock"> & Pick<CartItem, "quantity">;

/** Cart of an account. */
export interface Cart {
  lines: CartLine[];
  /** Sum of all lines. */
  total: Cents;
}
