// The contracts of `tests/conformance/rate-limit.test.ts`.

import type { Route } from "@kit/types";

export interface Answered {
  ok: boolean;
}

export interface LimitedRoutes {
  "GET /limited": Route<{ response: Answered }>;
}
