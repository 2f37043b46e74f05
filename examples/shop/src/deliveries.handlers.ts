import { defineHandlers } from "@kit/core";
import type { Member } from "./auth.ts";
import type { DeliveryRoutes } from "./deliveries.routes.ts";
import {
  addDelivery,
  changeDelivery,
  listDeliveries,
  readDelivery,
  removeDelivery,
} from "./deliveries.service.ts";

export const deliveryHandlers = defineHandlers<DeliveryRoutes, Member>({
  "POST /deliveries": async ({ body, ctx, reply }) => {
    const delivery = await addDelivery(ctx, body);
    return reply(201, delivery, { location: `/deliveries/${delivery.id}` });
  },

  "GET /deliveries": ({ query, ctx }) => listDeliveries(ctx, query),

  "GET /deliveries/:id": ({ params, ctx }) => readDelivery(ctx, params.id),

  "PATCH /deliveries/:id": ({ params, body, ctx }) => changeDelivery(ctx, params.id, body),

  "DELETE /deliveries/:id": ({ params, ctx }) => removeDelivery(ctx, params.id),
});
