import { type BaseContext, defineHandlers } from "@kit/core";
import type { LoginRoutes, SessionRoutes } from "./accounts.routes.ts";
import { findByPassword, readView, register } from "./accounts.service.ts";
import type { Account, AccountView } from "./accounts.types.ts";
import { sessions, type Visitor } from "./auth.ts";

/** Starts the session of an account. The session has no data: `{}`, because the Rust server of the shop reads an object. */
async function logIn(ctx: BaseContext, { id, name, email, role }: Account): Promise<AccountView> {
  await sessions.start(ctx, id, {});
  return { name, email, role };
}

export const loginHandlers = defineHandlers<LoginRoutes>({
  "POST /accounts": async ({ body, ctx }) => logIn(ctx, await register(ctx, body)),

  "POST /session": async ({ body, ctx }) => {
    const account = await findByPassword(ctx, body);
    if (account === undefined) {
      return ctx.fail(401, "CREDENTIALS_INVALID", "The address or the password is wrong");
    }
    return logIn(ctx, account);
  },
});

export const sessionHandlers = defineHandlers<SessionRoutes, Visitor>({
  "GET /session": async ({ ctx }) => ({
    account: ctx.auth === null ? null : await readView(ctx, ctx.auth.subject),
  }),

  "DELETE /session": ({ ctx }) => sessions.end(ctx),
});
