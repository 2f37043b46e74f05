import { defineHandlers } from "@kit/core";
import type { Member } from "./auth.ts";
import type { OrderRoutes } from "./orders.routes.ts";
import { listOrders, placeOrder, readOrder } from "./orders.service.ts";

export const orderHandlers = defineHandlers<OrderRoutes, Member>({
  "POST /orders": async ({ ctx, reply }) => {
    const order = await placeOrder(ctx, ctx.auth.subject);
    return reply(201, order, { location: `/orders/${order.id}` });
  },

  "GET /orders": ({ query, ctx }) => listOrders(ctx, ctx.auth.subject, query),

  "GET /orders/:id": ({ params, ctx }) => readOrder(ctx, ctx.auth.subject, params.id),
});
