// Routes whose middleware is that of the guide's pages, in Rust.

import type { Reply, Route, Scopes } from "@kit/types";
import type { Account, Booking, Transfer } from "./bank.types.ts";

export interface KeyRoutes {
  "GET /accounts/:owner": Route<{
    params: { owner: string };
    response: Account;
    auth: Scopes<"orders:read">;
  }>;
}

export interface TokenRoutes {
  "DELETE /accounts/:owner": Route<{ params: { owner: string }; auth: Scopes<"orders:write"> }>;
}

export interface BankRoutes {
  "POST /transfers": Route<{ headers: { "idempotency-key": string }; body: Transfer; response: Transfer }>;
}

export interface BookingRoutes {
  "POST /bookings": Route<{
    headers: { "idempotency-key": string };
    body: Omit<Booking, "id">;
    response: Booking;
  }>;
}

type Redirect = Reply<303, void, { location: string }>;

export interface LoginRoutes {
  "GET /login": Route<{ query: { returnTo?: string }; response: Redirect }>;
  "GET /callback": Route<{ query: { code?: string; state?: string }; response: Redirect }>;
}

export interface MemberRoutes {
  "GET /members/:owner": Route<{
    params: { owner: string };
    response: Account;
    auth: Scopes<"orders:read">;
  }>;
}
