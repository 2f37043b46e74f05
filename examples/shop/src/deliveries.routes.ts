import type { Failure, Reply, Route, Scopes } from "@kit/types";
import type { Delivery, DeliveryPage, DeliveryQuery, DeliveryView, NewDelivery } from "./deliveries.types.ts";

/** Deliveries of suppliers, for the staff. kit generates the handlers of the Rust server. */
export interface DeliveryRoutes {
  /** @summary Announces a delivery with its products */
  "POST /deliveries": Route<{
    body: NewDelivery;
    response: Reply<201, DeliveryView, { location: string }>;
    errors:
      | Failure<404, "PRODUCT_NOT_FOUND">
      | Failure<409, "TRACKING_NUMBER_TAKEN">
      | Failure<409, "DELIVERY_ITEM_TWICE">;
    auth: Scopes<"products:write">;
  }>;

  /** @summary Lists deliveries, a page at a time */
  "GET /deliveries": Route<{
    query: DeliveryQuery;
    response: DeliveryPage;
    auth: Scopes<"products:write">;
  }>;

  /** @summary Reads a delivery */
  "GET /deliveries/:id": Route<{
    params: Pick<Delivery, "id">;
    response: DeliveryView;
    errors: Failure<404, "DELIVERY_NOT_FOUND">;
    auth: Scopes<"products:write">;
  }>;

  /** @summary Changes the state or the freight of a delivery */
  "PATCH /deliveries/:id": Route<{
    params: Pick<Delivery, "id">;
    body: Partial<Pick<Delivery, "state" | "freight">>;
    response: DeliveryView;
    errors: Failure<404, "DELIVERY_NOT_FOUND">;
    auth: Scopes<"products:write">;
  }>;

  /** @summary Removes a delivery with its products */
  "DELETE /deliveries/:id": Route<{
    params: Pick<Delivery, "id">;
    errors: Failure<404, "DELIVERY_NOT_FOUND">;
    auth: Scopes<"products:write">;
  }>;
}
