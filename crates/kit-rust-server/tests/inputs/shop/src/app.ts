import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { CountryRoutes, ProductRoutes, StockRoutes } from "./products.routes.ts";
import type { CategoryRoutes, ShopRoutes } from "./shops.routes.ts";

const audit = defineMiddleware(() => ({}));
/** @throws UNAUTHORIZED 401 Nobody says who asks. */
const requireSeller = defineMiddleware<{ sellerId: string }>(() => ({ sellerId: "1" }));

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const shopHandlers = defineHandlers<ShopRoutes>({
  "POST /shops": notHere,
  "GET /shops": notHere,
  "GET /shops/:id": notHere,
  "PATCH /shops/:id": notHere,
  "DELETE /shops/:id": notHere,
});
export const categoryHandlers = defineHandlers<CategoryRoutes>({
  "POST /categories": notHere,
  "GET /categories": notHere,
  "GET /categories/:id": notHere,
  "DELETE /categories/:id": notHere,
});
export const productHandlers = defineHandlers<ProductRoutes>({
  "POST /products": notHere,
  "POST /products/imports": notHere,
  "GET /products": notHere,
  "GET /products/:id": notHere,
  "PUT /products/:id": notHere,
  "DELETE /products/:id": notHere,
});
export const stockHandlers = defineHandlers<StockRoutes>({
  "GET /stock/:productId/:countryCode": notHere,
  "PUT /stock/:productId/:countryCode": notHere,
  "DELETE /stock/:productId/:countryCode": notHere,
  "POST /stock": notHere,
});
export const countryHandlers = defineHandlers<CountryRoutes>({
  "POST /countries": notHere,
  "PUT /countries/:code": notHere,
  "DELETE /countries/:code": notHere,
  "POST /countries/:code/close": notHere,
});

export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/shops", handlers: shopHandlers },
    { prefix: "/categories", handlers: categoryHandlers },
    { prefix: "/products", handlers: productHandlers },
    { prefix: "/stock", handlers: stockHandlers },
    {
      prefix: "/countries",
      handlers: countryHandlers,
      middleware: [
        { name: "requireSeller", middleware: requireSeller, priority: 10 },
        { name: "audit", middleware: audit, priority: 20 },
      ],
    },
  ],
});
