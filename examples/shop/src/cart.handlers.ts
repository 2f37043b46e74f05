import { defineHandlers } from "@kit/core";
import type { Member } from "./auth.ts";
import type { CartRoutes } from "./cart.routes.ts";
import { readCart, removeFromCart, setQuantity } from "./cart.service.ts";
import { dbOf } from "./database.ts";

export const cartHandlers = defineHandlers<CartRoutes, Member>({
  "GET /cart": ({ ctx }) => readCart(dbOf(ctx), ctx.auth.subject),

  "PUT /cart/:slug": ({ params, body, ctx }) =>
    setQuantity(dbOf(ctx), ctx.auth.subject, params.slug, body.quantity),

  "DELETE /cart/:slug": ({ params, ctx }) => removeFromCart(dbOf(ctx), ctx.auth.subject, params.slug),
});
