/** Tests of the types of `@kit/auth`, which only the type checker runs. */
import {
  apiKeys,
  createSessions,
  defineRoles,
  jwt,
  type JwtAuth,
  memorySessions,
  optionalJwt,
  type SessionAuth,
  sessionAuth,
} from "@kit/auth";
import { createApp, defineHandlers, type Middleware } from "@kit/core";
import type { Auth, Route, Scopes, ServerAdapter, Validator } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface Claims {
  tenant: string;
}
declare const claims: Validator<Claims>;
declare const server: ServerAdapter;

const given = { issuer: "https://id.example/", audience: "shop", keys: new Uint8Array(32) };
const token = jwt({ ...given, scopes: ["orders:read", "orders:write"], claims });
expectTrue<Equal<typeof token, Middleware<{ auth: JwtAuth<"orders:read" | "orders:write", Claims> }>>>();
const optional = optionalJwt(given);
expectTrue<Equal<Awaited<ReturnType<typeof optional>>["auth"], JwtAuth | null>>();
// @ts-expect-error -- the audience is required, so that tokens for other applications are refused
jwt({ issuer: "https://id.example/", keys: new Uint8Array(32) });
// @ts-expect-error -- there is no such option
jwt({ ...given, audiense: "shop" });

const roles = defineRoles({ clerk: ["orders:read"], manager: ["orders:read", "orders:write"] });
const byRole = jwt({
  ...given,
  scopes: roles.scopes,
  scopesOf: (payload) => roles.scopesOf(payload["roles"]),
});
expectTrue<Equal<Awaited<ReturnType<typeof byRole>>["auth"], JwtAuth<"orders:read" | "orders:write">>>();

declare const caller: JwtAuth<"orders:read", Claims>;
expectTrue<Equal<typeof caller.claims.tenant, string>>();
// @ts-expect-error -- the middleware does not know this scope
caller.has("admin");
const known: Auth<"orders:read"> = caller;
// @ts-expect-error -- a caller with fewer scopes is none with more
const more: Auth<"orders:read" | "admin"> = caller;
void [known, more];

const key = apiKeys({
  prefix: "shop",
  scopes: ["read"],
  find: async () => ({ hash: "", subject: "ada", plan: "free" }),
});
expectTrue<Equal<Awaited<ReturnType<typeof key>>["auth"]["key"]["plan"], string>>();

const sessions = createSessions<{ name: string }>({ store: memorySessions() });
const session = sessionAuth(sessions);
expectTrue<Equal<typeof session, Middleware<{ auth: SessionAuth<never, { name: string }> }>>>();

interface OrderRoutes {
  "GET /orders": Route<{ response: string[]; auth: Scopes<"orders:write"> }>;
}
const handlers = defineHandlers<OrderRoutes>({ "GET /orders": () => [] });
createApp({ server, middleware: [token], routes: [{ handlers }] });
// @ts-expect-error -- the middleware knows other scopes than the contract requires
createApp({ server, middleware: [key], routes: [{ handlers }] });
