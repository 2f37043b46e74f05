import { createApp } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import { loginHandlers, sessionHandlers } from "./accounts.handlers.ts";
import { cookieKeys, readSession, requireSession, sessionCleaner } from "./auth.ts";
import { cartHandlers } from "./cart.handlers.ts";
import { catalogueHandlers, stockHandlers } from "./catalogue.handlers.ts";
import { database } from "./database.ts";
import { deliveryHandlers } from "./deliveries.handlers.ts";
import { environment } from "./environment.ts";
import { once } from "./idempotency.ts";
import { limitLogins, limitWrites } from "./limits.ts";
import { orderHandlers } from "./orders.handlers.ts";

const logins = [{ name: "limitLogins", middleware: limitLogins, priority: 0 }];
const visitors = [{ name: "readSession", middleware: readSession, priority: 10 }];
const members = [{ name: "requireSession", middleware: requireSession, priority: 10 }];
// After the session, because the limit counts the requests of an account.
const limited = { name: "limitWrites", middleware: limitWrites, priority: 20 };
const writes = { middleware: [limited] };
// Each idempotency key belongs to an account.
const orders = { middleware: [limited, { name: "once", middleware: once, priority: 30 }] };

/** The shop. */
export const app = createApp({
  server: nativeServer(),
  // The front end has another origin. Its pages may send cookies, and read how long they must wait.
  cors: { origins: environment.WEB_ORIGINS, credentials: true, exposedHeaders: ["location", "retry-after"] },
  // Pages of other origins than those of `cors` cannot change anything with the cookie of a user.
  csrf: true,
  cookies: { keys: cookieKeys() },
  errors: { format: "problem-details", validationStatus: 422 },
  etag: true,
  securityHeaders: true,
  limits: { bodyBytes: 16 * 1024 },
  routes: [
    { handlers: catalogueHandlers },
    { handlers: stockHandlers, middleware: members, on: { "PUT /products/:slug/stock": writes } },
    { handlers: deliveryHandlers, middleware: members },
    { handlers: loginHandlers, middleware: logins },
    { handlers: sessionHandlers, middleware: visitors },
    {
      handlers: cartHandlers,
      middleware: members,
      on: { "PUT /cart/:slug": writes, "DELETE /cart/:slug": writes },
    },
    { handlers: orderHandlers, middleware: members, on: { "POST /orders": orders } },
  ],
  plugins: [database, sessionCleaner],
});
