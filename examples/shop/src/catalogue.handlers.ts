import { type BaseContext, defineHandlers } from "@kit/core";
import type { Member } from "./auth.ts";
import type { CatalogueRoutes, StockRoutes } from "./catalogue.routes.ts";
import { listProducts, listTags, readProduct, setStock } from "./catalogue.service.ts";

/** Lets browsers and caches keep a response. They ask with the entity tag whether the response has changed. */
function keep(ctx: BaseContext): void {
  ctx.header("cache-control", "public, no-cache");
}

export const catalogueHandlers = defineHandlers<CatalogueRoutes>({
  "GET /products": ({ query, ctx }) => {
    keep(ctx);
    return listProducts(ctx, query);
  },

  "GET /products/:slug": ({ params, ctx }) => {
    keep(ctx);
    return readProduct(ctx, params.slug);
  },

  "GET /tags": ({ ctx }) => {
    keep(ctx);
    return listTags(ctx);
  },
});

export const stockHandlers = defineHandlers<StockRoutes, Member>({
  "PUT /products/:slug/stock": ({ params, body, ctx }) => setStock(ctx, params.slug, body.stock),
});
