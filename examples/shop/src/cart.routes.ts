import type { Failure, Route } from "@kit/types";
import type { Cart, CartItem } from "./cart.types.ts";
import type { BySlug } from "./catalogue.types.ts";

/** Cart of the user who is logged in. */
export interface CartRoutes {
  /** @summary Reads the cart */
  "GET /cart": Route<{ response: Cart }>;

  /** @summary Puts a product into the cart, or changes its quantity */
  "PUT /cart/:slug": Route<{
    params: BySlug;
    body: Pick<CartItem, "quantity">;
    response: Cart;
    errors: Failure<404, "PRODUCT_NOT_FOUND"> | Failure<409, "CART_FULL">;
  }>;

  /**
   * @summary Takes a product out of the cart
   * @status 200
   */
  "DELETE /cart/:slug": Route<{ params: BySlug; response: Cart }>;
}
