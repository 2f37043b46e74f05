/**
 * Application that Schemathesis checks, because the examples do not use these parts of contracts: headers, cookies,
 * several replies, typed failures, wrappers, problem details, and 422 for requests that are not valid. No cookie is a number, because
 * Schemathesis 4.32 compares the text of such a cookie with the schema of the number, and so takes an undeclared cookie beside it for a
 * mistake that the application accepts.
 */
export const shop: ReadonlyMap<string, string> = new Map([
  [
    "package.json",
    `{
  "name": "shop", "version": "1.0.0", "private": true, "type": "module",
  "dependencies": { "@kit/core": "0.1.0", "@kit/server-native": "0.1.0", "@kit/types": "0.1.0" },
  "devDependencies": { "@kit/cli": "0.1.0", "@types/node": "24.10.1", "typescript": "7.0.2" }
}`,
  ],
  [
    "tsconfig.json",
    `{
  "compilerOptions": {
    "target": "es2024", "lib": ["es2024"], "module": "nodenext", "types": ["node"], "strict": true,
    "exactOptionalPropertyTypes": true, "verbatimModuleSyntax": true, "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true, "skipLibCheck": true, "noEmit": true
  },
  "include": ["src", ".kit/**/*"]
}`,
  ],
  [
    "src/orders.routes.ts",
    `import type { Failure, Reply, Route } from "@kit/types";

/** @minLength 3 @maxLength 20 @pattern ^[a-z]+$ */
export type TenantId = string;

export interface NewOrder {
  /** @minLength 1 @maxLength 40 */
  sku: string;
  /** @integer @minimum 1 @maximum 100 @default 1 */
  count: number;
}

export interface Order extends NewOrder {
  /** @format uuid */
  id: string;
  orderedAt: Date;
}

export interface Job {
  job: string;
}

export interface SoldOut {
  /** @integer @minimum 0 */
  left: number;
}

export interface OrderHeaders {
  /** Customer of the request. */
  "x-tenant": TenantId;
  /** @format uuid */
  "idempotency-key"?: string;
  /** @integer @minimum 1 @maximum 5 @default 2 */
  "x-retries": number;
  "x-dry-run"?: boolean;
  "x-since"?: Date;
  "x-mode"?: "fast" | "slow";
  /** @maxItems 5 */
  "x-sizes"?: number[];
}

export interface OrderCookies {
  /** @minLength 8 @maxLength 64 */
  sid: string;
  theme?: "dark" | "light";
  solvent?: boolean;
}

export interface CreatedHeaders {
  location: string;
  etag: string;
  "x-remaining": number;
  "x-expires": Date;
  "x-sizes"?: number[];
}

export interface OrderId {
  /** @format uuid */
  id: string;
}

/** Orders of a shop. */
export interface OrderRoutes {
  /**
   * Orders something. An order of more than 50 pieces becomes a job.
   *
   * @summary Order
   * @operation createOrder
   */
  "POST /orders": Route<{
    headers: OrderHeaders;
    cookies: OrderCookies;
    body: NewOrder;
    response: Reply<201, Order, CreatedHeaders> | Reply<202, Job, { "retry-after": number }>;
    errors: Failure<409, "SOLD_OUT", SoldOut> | Failure<409, "PAYMENT_FAILED">;
  }>;
  /**
   * Reads an order.
   *
   * @summary Read an order
   * @operation readOrder
   */
  "GET /orders/:id": Route<{
    params: OrderId;
    headers: { "if-none-match"?: string[] };
    response: Reply<200, Order, { etag: string }> | Reply<304, void, { etag: string }>;
    errors: Failure<404, "ORDER_NOT_FOUND", OrderId>;
  }>;
  /**
   * Cancels an order.
   *
   * @summary Cancel an order
   * @operation cancelOrder
   */
  "DELETE /orders/:id": Route<{
    params: OrderId;
    response: Reply<204>;
    errors: Failure<404, "ORDER_NOT_FOUND", OrderId>;
  }>;
  /**
   * Reads the session.
   *
   * @summary Read the session
   */
  "GET /session": Route<{
    headers: { "x-tenant": TenantId };
    cookies: Pick<OrderCookies, "sid">;
    response: { tenant: TenantId; sid: string };
  }>;
  /**
   * Leads to the newest order.
   *
   * @summary Find the newest order
   */
  "GET /newest": Route<{ query: { sku?: string }; response: Reply<303, void, { location: string }> }>;
}
`,
  ],
  [
    "src/app.ts",
    `import { createApp, defineHandlers, defineWrapper } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Failure, Reply } from "@kit/types";
import type { Job, Order, OrderRoutes, SoldOut } from "./orders.routes.ts";

const orders = new Map<string, Order>();
const etagOf = ({ id }: Order): string => '"' + id.slice(0, 8) + '"';

// The two wrappers answer after the validation, because requests that are not valid get 422.
export const queued = defineWrapper<{ replies: Reply<203, Job> }>(async ({ reply, headers }, next) => {
  const passed = await next();
  return headers["x-mode"] === "slow" ? reply(203, { job: "1" }) : passed;
});
/** @throws LIMITED 429 Too many requests. */
export const limited = defineWrapper<{ errors: Failure<429, "LIMITED", SoldOut> }>(async ({ ctx, headers }, next) => {
  const passed = await next();
  return headers["x-dry-run"] === "false" ? ctx.fail(429, "LIMITED", "Too many requests", { left: 0 }) : passed;
});

export const orderHandlers = defineHandlers<OrderRoutes>({
  "POST /orders": ({ body, headers, cookies, reply, ctx }) => {
    if (body.count > 50) return reply(202, { job: crypto.randomUUID() }, { "retry-after": 30 });
    if (body.count === 49) return ctx.fail(409, "SOLD_OUT", "Sold out", { left: headers["x-retries"] });
    if (cookies.solvent === false) return ctx.fail(409, "PAYMENT_FAILED", "The card was refused");
    const order = { ...body, id: crypto.randomUUID(), orderedAt: new Date() };
    orders.set(order.id, order);
    // The header of an empty list is an empty text, which Schemathesis reads as a list with one empty text.
    const sizes = headers["x-sizes"]?.length ? { "x-sizes": headers["x-sizes"] } : {};
    return reply(201, order, {
      location: "/orders/" + order.id,
      etag: etagOf(order),
      "x-remaining": 100 - order.count,
      "x-expires": headers["x-since"] ?? new Date(),
      ...sizes,
    });
  },
  "GET /orders/:id": ({ params, headers, reply, ctx }) => {
    const order = orders.get(params.id);
    if (order === undefined) return ctx.fail(404, "ORDER_NOT_FOUND", "There is no such order", params);
    const etag = etagOf(order);
    return headers["if-none-match"]?.includes(etag) ? reply(304, { etag }) : reply(200, order, { etag });
  },
  "DELETE /orders/:id": ({ params, reply, ctx }) => {
    if (!orders.delete(params.id)) return ctx.fail(404, "ORDER_NOT_FOUND", "There is no such order", params);
    return reply(204);
  },
  "GET /session": ({ headers, cookies }) => ({ tenant: headers["x-tenant"], sid: cookies.sid }),
  "GET /newest": ({ reply }) => reply(303, { location: "/orders/" + ([...orders.keys()].at(-1) ?? crypto.randomUUID()) }),
});

export const app = createApp({
  server: nativeServer(),
  errors: { format: "problem-details", validationStatus: 422 },
  requestLog: true,
  cors: { origins: ["https://shop.example.com"] },
  routes: [
    {
      handlers: orderHandlers,
      on: { "POST /orders": { middleware: [queued, limited] }, "GET /session": { middleware: [limited] } },
    },
  ],
});
`,
  ],
  [
    "src/main.ts",
    `import { app } from "./app.ts";

const { url } = await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
console.log("Listening on " + url);
`,
  ],
]);
