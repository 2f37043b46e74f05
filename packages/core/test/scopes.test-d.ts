/** Tests of the types of contracts with scopes, which only the type checker runs. */
import { createApp, defineHandlers, defineMiddleware, defineWrapper } from "@kit/core";
import type { Auth, Route, Scopes, ServerAdapter } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface OrderRoutes {
  "POST /orders": Route<{ body: { sku: string }; auth: Scopes<"orders:write"> }>;
  "GET /orders": Route<{ response: string[]; auth: Scopes<"orders:read"> | Scopes<"admin"> }>;
  "GET /health": Route<{ response: string }>;
}

const handlers = defineHandlers<OrderRoutes>({
  "POST /orders": ({ ctx }) => {
    expectTrue<Equal<typeof ctx.auth, Auth<"orders:write">>>();
    expectTrue<Equal<ReturnType<typeof ctx.auth.has>, boolean>>();
    // @ts-expect-error -- the contract does not require this scope, so no middleware needs to know it
    ctx.auth.has("orders:read");
  },
  "GET /orders": ({ ctx }) => (ctx.auth.has("admin") ? ["all"] : []),
  // @ts-expect-error -- the contract requires no scopes
  "GET /health": ({ ctx }) => String(ctx.auth),
});
const valid = defineHandlers<OrderRoutes>({ ...handlers, "GET /health": () => "up" });

interface Caller extends Auth<"orders:read" | "orders:write" | "admin" | "billing"> {
  readonly userId: string;
}
const caller = {} as Caller;
const authenticate = defineMiddleware<{ auth: Caller }>(() => ({ auth: caller }));
const withReader = defineMiddleware<{ auth: Auth<"orders:read" | "admin"> }>(() => ({ auth: caller }));
const wrapped = defineWrapper<{ adds: { auth: Caller } }>((_input, next) => next({ auth: caller }));
const server = {} as ServerAdapter;

createApp({ server, middleware: [authenticate], routes: [{ handlers: valid }] });
createApp({ server, routes: [{ handlers: valid, middleware: [wrapped] }] });
createApp({ server, routes: [{ middleware: [authenticate], routes: [{ handlers: valid }] }] });
createApp({
  server,
  routes: [
    // @ts-expect-error -- no middleware adds `ctx.auth`
    { handlers: valid },
  ],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- the middleware does not know the scope `orders:write`
    { handlers: valid, middleware: [withReader] },
  ],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- only one route has the middleware
    { handlers: valid, on: { "GET /orders": { middleware: [authenticate] } } },
  ],
});

// Handlers read more of `ctx.auth` by the second type argument of `defineHandlers`.
const typed = defineHandlers<OrderRoutes, { auth: Caller }>({
  ...valid,
  "POST /orders": ({ ctx }) => void (ctx.auth.userId.length > 0 && ctx.auth.has("billing")),
});
createApp({ server, middleware: [authenticate], routes: [{ handlers: typed }] });
createApp({
  server,
  // @ts-expect-error -- the middleware adds no `userId`
  routes: [{ handlers: typed, middleware: [withReader] }],
});

// @ts-expect-error -- a scope is a string
type NumberScope = Scopes<1>;
// @ts-expect-error -- `auth` needs `Scopes`
type PlainScope = Route<{ auth: "orders:read" }>;
export type { NumberScope, PlainScope };
