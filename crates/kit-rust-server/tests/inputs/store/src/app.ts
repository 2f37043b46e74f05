import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type {
  CategoryRoutes,
  CustomerRoutes,
  CustomRoutes,
  OrderRoutes,
  ProductRoutes,
} from "./store.routes.ts";

const notHere = (): never => {
  throw new Error("tests look at the Rust server only");
};

export const customerHandlers = defineHandlers<CustomerRoutes>({
  "POST /customers": notHere,
  "GET /customers/:id": notHere,
  "GET /customers": notHere,
});
export const productHandlers = defineHandlers<ProductRoutes>({
  "POST /products": notHere,
  "GET /products": notHere,
  "GET /products/:id": notHere,
  "GET /named/products/:slug": notHere,
  "PATCH /products/:id": notHere,
  "POST /tags": notHere,
  "GET /tags/:slug": notHere,
  "PUT /tags/:slug": notHere,
});
export const orderHandlers = defineHandlers<OrderRoutes>({
  "POST /orders": notHere,
  "GET /orders": notHere,
  "GET /newest/orders": notHere,
  "GET /orders/:id": notHere,
  "PUT /orders/:id": notHere,
  "PATCH /orders/:id": notHere,
  "DELETE /orders/:id": notHere,
  "PATCH /orders/:orderId/items/:line": notHere,
});
export const categoryHandlers = defineHandlers<CategoryRoutes>({
  "POST /categories": notHere,
  "GET /categories/:id": notHere,
});
export const customHandlers = defineHandlers<CustomRoutes>({
  "GET /found/products": notHere,
  "GET /totals/orders/:id": notHere,
  "POST /logins": notHere,
  "GET /translated/products/:id": notHere,
  "PUT /products/:id": notHere,
});

export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/", handlers: customerHandlers },
    { prefix: "/", handlers: productHandlers },
    { prefix: "/", handlers: orderHandlers },
    { prefix: "/", handlers: categoryHandlers },
    { prefix: "/", handlers: customHandlers },
  ],
});
