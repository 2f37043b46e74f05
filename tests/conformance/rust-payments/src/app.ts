// Middleware of each route, for kit's compiler. This file is never run, because the Rust code in `src/handlers` and
// `src/middleware` handles the requests.

import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import { idempotent } from "@kit/idempotency";
import { nativeServer } from "@kit/server-native";
import type { Auth } from "@kit/types";

import type { OptionalRoutes, OwnedRoutes, PaymentRoutes, ScopedRoutes } from "./payments.routes.ts";

function inRust(): never {
  throw new Error("the handlers of this application are in Rust");
}

const pool = undefined as never;
const once = idempotent({ pool, by: "none" });
const onceOfCaller = idempotent({ pool });
const onceIfKey = idempotent({ pool, by: "none", required: false });
const caller = defineMiddleware<{ auth: Auth<"payments:write"> }>(() => ({ auth: { has: () => false } }));

const paymentHandlers = defineHandlers<PaymentRoutes>({
  "POST /payments": inRust,
  "POST /refunds": inRust,
  "POST /transfers": inRust,
  "POST /nothing": inRust,
  "POST /stream": inRust,
});
const ownedHandlers = defineHandlers<OwnedRoutes>({ "POST /owned": inRust });
const scopedHandlers = defineHandlers<ScopedRoutes>({ "POST /scoped": inRust });
const optionalHandlers = defineHandlers<OptionalRoutes>({ "POST /optional": inRust });

createApp({
  server: nativeServer(),
  routes: [
    { handlers: paymentHandlers, middleware: [{ name: "once", middleware: once, priority: 10 }] },
    {
      handlers: ownedHandlers,
      middleware: [
        { name: "caller", middleware: caller, priority: 0 },
        { name: "onceOfCaller", middleware: onceOfCaller, priority: 10 },
      ],
    },
    {
      handlers: scopedHandlers,
      middleware: [
        { name: "caller", middleware: caller, priority: 0 },
        { name: "onceOfCaller", middleware: onceOfCaller, priority: 10 },
      ],
    },
    {
      handlers: optionalHandlers,
      middleware: [{ name: "onceIfKey", middleware: onceIfKey, priority: 10 }],
    },
  ],
});
