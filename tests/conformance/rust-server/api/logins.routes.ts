// The contracts of `tests/conformance/oidc.test.ts`. The handlers of the same logins on Node are in
// `packages/auth/test/oidc.test.ts`.

import type { Route } from "@kit/types";

export interface LoginText {
  text: string;
}

interface LoginResponse {
  code?: string;
  state?: string;
  iss?: string;
  error?: string;
}

export interface LoginRoutes {
  "GET /oidc/start": Route<{ query: { returnTo: string }; response: LoginText }>;
  "GET /oidc/callback": Route<{ query: LoginResponse; response: LoginText }>;
  "GET /oidc/refresh": Route<{ query: { token: string; subject: string }; response: LoginText }>;
  "GET /oidc/logout": Route<{ query: { token: string }; response: LoginText }>;
  "GET /oidc/logged-out": Route<{ query: { token: string }; response: LoginText }>;
}
