import type { RouteContract } from "@kit/types";
import type { PaymentText } from "./payments.types.ts";

/** The contract of `tests/conformance/rust-payments`, whose Rust server stores payments in the same tables. */
export interface PaymentRoutes {
  "POST /payments": RouteContract<void, void, PaymentText, PaymentText>;
}
