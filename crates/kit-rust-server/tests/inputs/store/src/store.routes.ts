import type { Cursor, CursorQuery, Failure, Reply, Route } from "@kit/types";
import type {
  Category,
  CategoryTree,
  Customer,
  CustomerName,
  NewOrder,
  NewProduct,
  Order,
  OrderItem,
  OrderView,
  Page,
  Paging,
  Product,
  ProductView,
  Tag,
  TaggedProduct,
  Uuid,
} from "./store.types.ts";

export interface CustomerRoutes {
  "POST /customers": Route<{
    body: Omit<Customer, "id">;
    response: CustomerName;
    errors: Failure<409, "EMAIL_TAKEN">;
  }>;
  "GET /customers/:id": Route<{ params: Pick<Customer, "id">; response: CustomerName }>;
  /** The names of the customers. */
  "GET /customers": Route<{ query: { name?: string }; response: CustomerName[] }>;
}

export interface ProductRoutes {
  "POST /products": Route<{ body: NewProduct; response: Reply<201, ProductView, { location: string }> }>;
  "GET /products": Route<{
    query: Paging & {
      slug?: string;
      reviewed?: Date[];
      /** Slug of a tag that the product has. */ tag?: string;
    };
    response: Page<ProductView>;
  }>;
  "GET /products/:id": Route<{ params: { id: Uuid }; response: ProductView }>;
  "GET /named/products/:slug": Route<{
    params: Pick<Product, "slug">;
    response: TaggedProduct;
    errors: Failure<404, "PRODUCT_NOT_FOUND">;
  }>;
  "PATCH /products/:id": Route<{
    params: { id: Uuid };
    body: Partial<Omit<Product, "id" | "createdAt">> & { tags?: string[] };
    response: ProductView;
  }>;
  "POST /tags": Route<{ body: Tag; response: Tag }>;
  "GET /tags/:slug": Route<{
    params: Pick<Tag, "slug">;
    headers: { "x-request-id"?: string };
    response: Tag;
  }>;
  /** Changes a tag, or makes a new one. */
  "PUT /tags/:slug": Route<{
    params: Pick<Tag, "slug">;
    body: Omit<Tag, "slug">;
    response: Reply<200, Tag> | Reply<201, Tag>;
  }>;
}

export interface OrderRoutes {
  /**
   * @throws CUSTOMER_NOT_FOUND 404 There is no such customer.
   * @throws PRODUCT_NOT_FOUND 404 There is no such product.
   */
  "POST /orders": Route<{ body: NewOrder; response: Reply<201, OrderView, { location: string }> }>;
  "GET /orders": Route<{ response: OrderView[] }>;
  "GET /newest/orders": Route<{ query: CursorQuery & { customerId?: Uuid }; response: Cursor<OrderView> }>;
  "GET /orders/:id": Route<{ params: { /** @integer */ id: number }; response: OrderView }>;
  "PUT /orders/:id": Route<{
    params: { /** @integer */ id: number };
    body: Pick<Order, "note">;
    response: OrderView;
  }>;
  /** The items replace those of the order. */
  "PATCH /orders/:id": Route<{
    params: { /** @integer */ id: number };
    body: { note?: Order["note"]; items: Omit<OrderItem, "orderId">[] };
    response: OrderView;
  }>;
  "DELETE /orders/:id": Route<{ params: { /** @integer */ id: number }; response: Reply<204, void> }>;
  "PATCH /orders/:orderId/items/:line": Route<{
    params: Pick<OrderItem, "orderId" | "line">;
    body: Pick<OrderItem, "quantity">;
    response: OrderItem;
  }>;
}

export interface CategoryRoutes {
  "POST /categories": Route<{ body: Omit<Category, "id">; response: Category }>;
  "GET /categories/:id": Route<{ params: { /** @integer */ id: number }; response: CategoryTree }>;
}

/** Routes whose meaning types do not tell. */
export interface CustomRoutes {
  /** `search` is no property. */
  "GET /found/products": Route<{ query: { search: string }; response: Product[] }>;
  /** `total` is no property. */
  "GET /totals/orders/:id": Route<{
    params: { /** @integer */ id: number };
    response: Pick<Order, "id"> & { total: number };
  }>;
  /** The password is no property. */
  "POST /logins": Route<{ body: { email: string; password: string }; response: CustomerName }>;
  /** Types do not tell what a client wants from the header. */
  "GET /translated/products/:id": Route<{
    params: { id: Uuid };
    headers: { "accept-language"?: string };
    response: Product;
  }>;
  /** The database makes the key of a new product. */
  "PUT /products/:id": Route<{
    params: { id: Uuid };
    body: Omit<Product, "id" | "createdAt">;
    response: Reply<200, Product> | Reply<201, Product>;
  }>;
}
