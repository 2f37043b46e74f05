import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import { idempotent } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import type { Auth } from "@kit/types";
import type {
  BankRoutes,
  BookingRoutes,
  KeyRoutes,
  LoginRoutes,
  MemberRoutes,
  TokenRoutes,
} from "./bank.routes.ts";

type Scope = "orders:read" | "orders:write";

/**
 * @security header x-api-key
 * @throws UNAUTHORIZED 401 The key is not valid.
 */
const authenticate = defineMiddleware<{ auth: Auth<Scope> }>(() => ({ auth: { has: () => false } }));
/** @security bearer JWT */
const requireAuth = defineMiddleware<{ auth: Auth<Scope> }>(() => ({ auth: { has: () => false } }));
/** @security cookie __Host-session */
const requireSession = defineMiddleware<{ auth: Auth<Scope> }>(() => ({ auth: { has: () => false } }));
const limited = defineMiddleware(() => {});
const limitedInValkey = defineMiddleware(() => {});
const timed = defineWrapper<{ adds: { begun: number } }>((_input, next) => next({ begun: 0 }));
const once = idempotent({ pool: undefined as never, by: "none" });

const notHere = (): never => {
  throw new Error("the TypeScript server is not what is looked at here");
};

export const keyHandlers = defineHandlers<KeyRoutes>({ "GET /accounts/:owner": notHere });
export const tokenHandlers = defineHandlers<TokenRoutes>({ "DELETE /accounts/:owner": notHere });
export const loginHandlers = defineHandlers<LoginRoutes>({ "GET /login": notHere, "GET /callback": notHere });
export const memberHandlers = defineHandlers<MemberRoutes>({ "GET /members/:owner": notHere });
export const bookingHandlers = defineHandlers<BookingRoutes>({ "POST /bookings": notHere });
export const bankHandlers = defineHandlers<BankRoutes>({ "POST /transfers": notHere });

export const app = createApp({
  server: nativeServer(),
  routes: [
    { prefix: "/", handlers: keyHandlers, middleware: [authenticate] },
    { prefix: "/", handlers: tokenHandlers, middleware: [requireAuth] },
    { prefix: "/", handlers: loginHandlers },
    { prefix: "/", handlers: memberHandlers, middleware: [requireSession] },
    {
      prefix: "/",
      handlers: bookingHandlers,
      middleware: [
        { name: "timed", middleware: timed, priority: 1 },
        { name: "once", middleware: once, priority: 2 },
      ],
    },
    {
      prefix: "/",
      handlers: bankHandlers,
      middleware: [
        { name: "limited", middleware: limited, priority: 1 },
        { name: "limitedInValkey", middleware: limitedInValkey, priority: 2 },
        { name: "timed", middleware: timed, priority: 3 },
        { name: "once", middleware: once, priority: 4 },
      ],
    },
  ],
});
