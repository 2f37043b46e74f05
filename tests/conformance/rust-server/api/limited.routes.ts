// The contracts of `tests/conformance/rate-limit.test.ts` and `tests/conformance/rate-limit-valkey.test.ts`.

import type { Route } from "@kit/types";

export interface Answered {
  ok: boolean;
}

export interface LimitedRoutes {
  "GET /limited": Route<{ response: Answered }>;
}

export interface SharedLimitRoutes {
  "GET /limited/shared": Route<{ response: Answered }>;
}
