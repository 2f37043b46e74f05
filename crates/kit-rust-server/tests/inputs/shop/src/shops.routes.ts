import type { RouteContract } from "@kit/types";
import type { Page, Paging, Uuid } from "./shared.types.ts";
import type { Category, CreateCategoryInput, CreateShopInput, Shop, UpdateShopInput } from "./shops.types.ts";

/** Routes of sellers. */
export interface ShopRoutes {
  /** @throws SLUG_TAKEN 409 Another shop has this slug. */
  "POST /shops": RouteContract<void, void, CreateShopInput, Shop>;
  "GET /shops": RouteContract<void, Paging, void, Page<Shop>>;
  /** @throws SHOP_NOT_FOUND 404 There is no such shop. */
  "GET /shops/:id": RouteContract<{ id: Uuid }, void, void, Shop>;
  /**
   * @throws SHOP_NOT_FOUND 404 There is no such shop.
   * @throws SLUG_TAKEN 409 Another shop has this slug.
   */
  "PATCH /shops/:id": RouteContract<{ id: Uuid }, void, UpdateShopInput, Shop>;
  /** @throws SHOP_NOT_FOUND 404 There is no such shop. */
  "DELETE /shops/:id": RouteContract<{ id: Uuid }, void, void, void>;
}

/** The shelves. Nothing here says which errors there are. */
export interface CategoryRoutes {
  "POST /categories": RouteContract<void, void, CreateCategoryInput, Category>;
  "GET /categories": RouteContract<void, void, void, Category[]>;
  "GET /categories/:id": RouteContract<{ /** @integer */ id: number }, void, void, Category>;
  "DELETE /categories/:id": RouteContract<{ /** @integer */ id: number }, void, void, void>;
}
