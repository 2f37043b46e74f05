// The contracts of `conformance/contracts.json`: those of the program `contracts` in `crates/kit-test-programs`.

import type { Failure, Reply, Route } from "@kit/types";

/** @minLength 3 @maxLength 20 */
type TenantId = string;

interface NewOrder {
  /** @minLength 1 @maxLength 40 */
  sku: string;
  /** @integer @minimum 1 @maximum 100 @default 1 */
  count: number;
}

interface Order {
  /** @format uuid */
  id: string;
  sku: string;
  count: number;
  orderedAt: Date;
}

interface Job {
  job: string;
}

interface SoldOut {
  /** @integer @minimum 0 */
  left: number;
  again?: Date;
}

interface Session {
  user: string;
  visits: number;
}

interface SessionHeaders {
  "x-tenant": TenantId;
}

interface OrderHeaders {
  "x-tenant": TenantId;
  authorization?: string;
  "content-type"?: string;
  /** @format uuid */
  "idempotency-key"?: string;
  /** @integer @minimum 1 @maximum 5 @default 2 */
  "x-retries": number;
  "x-dry-run"?: boolean;
  "x-since"?: Date;
  "x-total"?: bigint;
  "x-mode"?: "fast" | 1;
  "x-tags"?: string[];
  "x-sizes"?: number[];
}

interface OrderCookies {
  /** @minLength 8 @maxLength 64 */
  sid: string;
  theme?: "dark" | "light";
  /** @integer @minimum 1 @maximum 5 */
  visits?: number;
  seen?: Date;
}

interface CreatedHeaders {
  location: string;
  etag: string;
  "x-remaining": number;
  "x-expires": Date;
  "x-total"?: bigint;
  "x-cached"?: boolean;
  "x-kind"?: "fast" | "slow";
  vary?: string[];
  "x-sizes"?: number[];
  "set-cookie"?: string[];
}

interface OrderId {
  /** @format uuid */
  id: string;
}

export interface ContractRoutes {
  /** @operation createOrder */
  "POST /orders": Route<{
    headers: OrderHeaders;
    cookies: OrderCookies;
    body: NewOrder;
    response: Reply<201, Order, CreatedHeaders> | Reply<202, Job> | Reply<303, void, { location: string }>;
    errors: Failure<409, "SOLD_OUT", SoldOut> | Failure<402, "PAYMENT_FAILED"> | Failure<409, "ORDER_EXISTS">;
  }>;
  "GET /orders/:id": Route<{
    params: OrderId;
    headers: { "if-none-match"?: string[] };
    response: Reply<200, Order, { etag: string }> | Reply<304, void, { etag: string }>;
  }>;
  /** @operation cancelOrder */
  "DELETE /orders/:id": Route<{
    params: OrderId;
    response: Reply<204>;
    errors: Failure<404, "ORDER_NOT_FOUND", OrderId>;
  }>;
  "GET /session": Route<{
    headers: SessionHeaders;
    cookies: Pick<OrderCookies, "sid">;
    response: Session;
  }>;
  "PUT /session": Route<{ body: SessionHeaders; response: Session }>;
  "GET /stock": Route<{ query: { sku?: string }; response: { pieces: number } }>;
}
