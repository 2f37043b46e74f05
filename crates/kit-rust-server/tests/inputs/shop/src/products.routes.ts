import type { RouteContract } from "@kit/types";
import type { Page, Paging, Uuid } from "./shared.types.ts";
import type {
  Country,
  CreateProductInput,
  ImportedProduct,
  Product,
  ProductKind,
  ProductSummary,
  PutStockInput,
  Stock,
  UpdateCountryInput,
  UpdateProductInput,
} from "./shops.types.ts";

/** Selection of products. */
export interface ProductFilter extends Paging {
  /** Return only the products of this shop. */
  shopId?: string;
  /** Return only products with this number of views. */
  views?: bigint;
  /** Return only products of this kind. */
  kind?: ProductKind;
  /** True returns only visible products, and false only hidden products. */
  visible?: boolean;
}

export interface ProductRoutes {
  /**
   * @throws SHOP_NOT_FOUND 404 There is no such shop.
   * @throws CATEGORY_NOT_FOUND 404 There is no such category.
   * @throws PRODUCT_EXISTS 409 The shop has a product of this number.
   */
  "POST /products": RouteContract<void, void, CreateProductInput, Product>;
  /**
   * @throws SHOP_NOT_FOUND 404 There is no such shop.
   * @throws CATEGORY_NOT_FOUND 404 There is no such category.
   */
  "POST /products/imports": RouteContract<void, void, ImportedProduct, Product>;
  "GET /products": RouteContract<void, ProductFilter, void, Page<ProductSummary>>;
  /** @throws PRODUCT_NOT_FOUND 404 There is no such product. */
  "GET /products/:id": RouteContract<{ id: string }, void, void, Product>;
  /**
   * @throws PRODUCT_NOT_FOUND 404 There is no such product.
   * @throws CATEGORY_NOT_FOUND 404 There is no such category.
   * @throws PRODUCT_EXISTS 409 The shop has a product of this number.
   */
  "PUT /products/:id": RouteContract<{ id: string }, void, UpdateProductInput, Product>;
  /** @throws PRODUCT_NOT_FOUND 404 There is no such product. */
  "DELETE /products/:id": RouteContract<{ id: string }, void, void, void>;
}

export interface StockRoutes {
  /** @throws STOCK_NOT_FOUND 404 Nobody counted these. */
  "GET /stock/:productId/:countryCode": RouteContract<
    { productId: Uuid; countryCode: string },
    void,
    void,
    Stock
  >;
  /** @throws STOCK_NOT_FOUND 404 Nobody counted these. */
  "PUT /stock/:productId/:countryCode": RouteContract<
    { productId: Uuid; countryCode: string },
    void,
    PutStockInput,
    Stock
  >;
  /** @throws STOCK_NOT_FOUND 404 Nobody counted these. */
  "DELETE /stock/:productId/:countryCode": RouteContract<
    { productId: Uuid; countryCode: string },
    void,
    void,
    void
  >;
  /** @throws STOCK_EXISTS 409 These are counted already. */
  "POST /stock": RouteContract<void, void, Omit<Stock, "countedAt">, Stock>;
}

export interface CountryRoutes {
  "POST /countries": RouteContract<void, void, Country, Country>;
  "PUT /countries/:code": RouteContract<{ code: string }, void, UpdateCountryInput, Country>;
  /** @throws COUNTRY_IN_USE 409 Something stands there. */
  "DELETE /countries/:code": RouteContract<{ code: string }, void, void, void>;
  /**
   * Needs a handler of one's own.
   *
   * @throws COUNTRY_IS_A_TEAPOT 418 It cannot be closed.
   * @throws COUNTRY_IS_TIRED 499 It does not want to.
   */
  "POST /countries/:code/close": RouteContract<{ code: string }, void, void, Country>;
}
