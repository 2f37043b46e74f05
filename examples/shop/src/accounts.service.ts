import { ConflictError } from "@kit/errors";
import { eq } from "drizzle-orm";
import { accounts } from "../.kit/schemas/accounts.ts";
import type { Account, AccountView, Credentials, Registration } from "./accounts.types.ts";
import { passwords } from "./auth.ts";
import { type Caller, dbOf, violates } from "./database.ts";

/** Creates the account of a customer. */
export async function register(ctx: Caller, { name, email, password }: Registration): Promise<Account> {
  const values = { name, email: normalized(email), passwordHash: await passwords.hash(password) };
  const [account] = await dbOf(ctx)
    .insert(accounts)
    .values(values)
    .returning()
    .catch((error: unknown) => {
      if (!violates(error, "accounts_email_unique")) throw error;
      throw new ConflictError("EMAIL_TAKEN", "Another account has this address");
    });
  return account!;
}

/** Returns the account with an address and a password. */
export async function findByPassword(
  ctx: Caller,
  { email, password }: Credentials,
): Promise<Account | undefined> {
  const [account] = await dbOf(ctx)
    .select()
    .from(accounts)
    .where(eq(accounts.email, normalized(email)));
  // Without an account, this takes as long as with one. So the time does not show which addresses exist.
  const isRight = await passwords.verify(password, account?.passwordHash ?? null);
  if (account === undefined || !isRight) return undefined;
  if (passwords.needsRehash(account.passwordHash)) {
    const passwordHash = await passwords.hash(password);
    await dbOf(ctx).update(accounts).set({ passwordHash }).where(eq(accounts.id, account.id));
  }
  return account;
}

/** Returns an account as its owner sees it, or `null` if the account was removed. */
export async function readView(ctx: Caller, id: string): Promise<AccountView | null> {
  const { name, email, role } = accounts;
  const [view] = await dbOf(ctx).select({ name, email, role }).from(accounts).where(eq(accounts.id, id));
  return view ?? null;
}

/** Returns an address in lower case, because people do not write their address the same way each time. */
function normalized(email: string): string {
  return email.toLowerCase();
}
