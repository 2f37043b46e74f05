import { defineHandlers } from "@kit/core";
import type { Member } from "./auth.ts";
import type { CartRoutes } from "./cart.routes.ts";
import { readCart, removeFromCart, setQuantity } from "./cart.service.ts";

export const cartHandlers = defineHandlers<CartRoutes, Member>({
  "GET /cart": ({ ctx }) => readCart(ctx, ctx.auth.subject),

  "PUT /cart/:slug": ({ params, body, ctx }) =>
    setQuantity(ctx, ctx.auth.subject, params.slug, body.quantity),

  "DELETE /cart/:slug": ({ params, ctx }) => removeFromCart(ctx, ctx.auth.subject, params.slug),
});
