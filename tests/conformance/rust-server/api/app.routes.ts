import type { RouteContract } from "@kit/types";

interface File {
  route: string;
  value?: string;
}

interface OneValue {
  value: string;
}

interface Numbered {
  number: number;
}

interface OneText {
  text: string;
}

/** Routes of `tests/conformance/application.ts`. */
export interface AppRoutes {
  "GET /files/upload": RouteContract<void, void, void, File>;
  "GET /files/:name": RouteContract<{ name: string }, void, void, File>;
  "PUT /files/:name": RouteContract<{ name: string }, void, void, File>;
  "GET /assets/logo": RouteContract<void, void, void, OneValue>;
  "GET /assets/*path": RouteContract<{ path: string }, void, void, OneValue>;
  "GET /raw/:top/*path": RouteContract<{ top: string; path: string }, void, void, OneValue>;
  /** @deprecatedSince 2026-01-01 @sunset 2026-12-31 @successor /v2/numbers */
  "GET /numbers/:id": RouteContract<{ id: number }, void, void, Numbered>;
  "GET /search": RouteContract<void, { page?: number }, void, { page: number }>;
  "POST /notes": RouteContract<void, void, OneText, OneText>;
  "DELETE /things/:id": RouteContract<{ id: string }, void, void, void>;
  "GET /headers": RouteContract<void, void, void, OneValue>;
  "GET /header": RouteContract<void, void, void, OneValue>;
  "GET /host": RouteContract<void, void, void, OneValue>;
  "GET /sniffed": RouteContract<void, void, void, OneValue>;
  "GET /split": RouteContract<void, void, void, OneValue>;
  /** @throws TAKEN 409 It is taken. */
  "GET /fail": RouteContract<void, void, void, OneValue>;
  "GET /bug": RouteContract<void, void, void, OneValue>;
  "GET /reject": RouteContract<void, void, void, OneValue>;
  "GET /slow": RouteContract<void, void, void, OneValue>;
  "GET /endless": RouteContract<void, void, void, OneValue>;
  "GET /text": RouteContract<void, void, void, unknown>;
  "GET /bytes": RouteContract<void, void, void, unknown>;
  "GET /stream": RouteContract<void, void, void, unknown>;
  "GET /stream/:kind": RouteContract<{ kind: string }, void, void, unknown>;
}

interface Short {
  /** @maxLength 3 */
  text: string;
}

/** Routes whose responses violate their contract. `tests/conformance/application.ts` does not have these routes. */
export interface WrongRoutes {
  "GET /wrong": RouteContract<void, void, void, Short>;
  "GET /infinite": RouteContract<void, void, void, Numbered>;
}

/** Routes behind a middleware of their group. */
export interface OrderRoutes {
  "GET /order": RouteContract<void, void, void, { order: string }>;
}

/** Routes behind a middleware that requires authentication. */
export interface GuardedRoutes {
  /** @throws UNAUTHORIZED 401 Nobody knows who asks. */
  "GET /guarded/:id": RouteContract<{ id: number }, void, void, Numbered>;
}
