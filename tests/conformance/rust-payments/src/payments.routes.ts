// The contracts of `tests/conformance/idempotency.test.ts` and `tests/conformance/killed-payments.test.ts`.

import type { Route, RouteContract, Scopes } from "@kit/types";
import type { PaymentNumber, PaymentText } from "./payments.types.ts";

export interface PaymentRoutes {
  "POST /payments": RouteContract<void, void, PaymentText, PaymentText>;
  "POST /refunds": RouteContract<void, void, PaymentText, PaymentText>;
  "POST /transfers": RouteContract<void, void, PaymentText, PaymentNumber>;
  "POST /nothing": RouteContract<void, void, PaymentText, void>;
  "POST /stream": RouteContract<void, void, PaymentText, unknown>;
}

export interface OwnedRoutes {
  "POST /owned": RouteContract<void, void, PaymentText, PaymentText>;
}

export interface ScopedRoutes {
  "POST /scoped": Route<{ body: PaymentText; response: PaymentText; auth: Scopes<"payments:write"> }>;
}

export interface OptionalRoutes {
  "POST /optional": RouteContract<void, void, PaymentText, PaymentText>;
}
