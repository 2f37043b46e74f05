import { defineHandlers, defineMiddleware, type RequestContext } from "@kit/core";
import { AppError } from "@kit/errors";
import type { AccountRoutes } from "./notes.routes.ts";
import { requireAuth } from "./notes.handlers.ts";
import { use } from "./quota.ts";

const tenant = defineMiddleware<{ tenant: string }>(({ headers, ctx }) => {
  const name = headers["x-tenant"];
  if (name === undefined || name === "") return ctx.fail(400, "TENANT_REQUIRED", "Send x-tenant");
  return { tenant: name };
});

const locale = defineMiddleware<{ locale: string }>(({ headers }) => ({
  locale: headers["accept-language"]?.split(/[,;]/, 1)[0] ?? "en",
}));

const quota = defineMiddleware<{ used: number }>(({ ctx }) => {
  const { userId = "" } = ctx as RequestContext & { readonly userId?: string };
  const used = use(userId);
  if (used === undefined) throw new AppError("QUOTA_EXCEEDED", 429, "Too many requests");
  return { used };
});

const noStore = defineMiddleware(({ ctx }) => {
  ctx.header("cache-control", "no-store");
});

/** Five middleware functions that do a little work each, as those of real applications do. */
export const accountMiddleware = [
  { name: "requireAuth", middleware: requireAuth, priority: 10 },
  { name: "tenant", middleware: tenant, priority: 20 },
  { name: "locale", middleware: locale, priority: 30 },
  { name: "quota", middleware: quota, priority: 40 },
  { name: "noStore", middleware: noStore, priority: 50 },
];

/** Handler that responds with the values that the middleware has added. */
export const accountHandlers = defineHandlers<
  AccountRoutes,
  { userId: string; tenant: string; locale: string; used: number }
>({
  "GET /account": ({ ctx }) => ({
    userId: ctx.userId,
    tenant: ctx.tenant,
    locale: ctx.locale,
    used: ctx.used,
  }),
});
