import type { Cursor, Failure, Route, Scopes } from "@kit/types";
import type { BySlug, Product, ProductQuery, ProductView, Tag } from "./catalogue.types.ts";

/** Products and tags, for everybody. */
export interface CatalogueRoutes {
  /**
   * Newest first.
   *
   * @summary Lists products, a page at a time
   */
  "GET /products": Route<{
    query: ProductQuery;
    response: Cursor<ProductView>;
  }>;

  /** @summary Reads a product */
  "GET /products/:slug": Route<{
    params: BySlug;
    response: ProductView;
    errors: Failure<404, "PRODUCT_NOT_FOUND">;
  }>;

  /** @summary Lists all tags */
  "GET /tags": Route<{ response: Tag[] }>;
}

/** Stock of products, for the staff. */
export interface StockRoutes {
  /** @summary Sets the number of pieces that can be sold */
  "PUT /products/:slug/stock": Route<{
    params: BySlug;
    body: Pick<Product, "stock">;
    response: ProductView;
    errors: Failure<404, "PRODUCT_NOT_FOUND">;
    auth: Scopes<"products:write">;
  }>;
}
