import { setTimeout as sleep } from "node:timers/promises";

import {
  basePool,
  bindScope,
  findScope,
  scopeOf,
  type TransactionScope,
  unbindScope,
} from "./bound-transactions.ts";
import { cancellable, type CancellablePool } from "./cancellable.ts";
import { isTransactionConflict } from "./conflict.ts";
import type { Client, Pool } from "./driver.ts";
import { hasEnded, type Isolation, isolationLevels, OpenTransaction } from "./open-transaction.ts";
import { overlay } from "./overlay.ts";
import { takePlace } from "./transaction-places.ts";

/** Options of {@link transaction}. */
export interface TransactionOptions {
  /** Isolation level. Default `read committed`, as in PostgreSQL. */
  readonly isolation?: Isolation;
  /**
   * Maximum number of repetitions after a serialization failure (`40001`) or a deadlock (`40P01`), from 0 to 100. The
   * function then runs again from its beginning, so it must do nothing else that cannot be undone, such as sending a
   * mail. Default 0. An inner transaction is not repeated alone: kit uses the option of the outermost call.
   */
  readonly retries?: number;
  /**
   * Tenant to which all rows of the transaction belong: the setting `kit.tenant`, with which the policies of tables with
   * `@tenant` select rows. The setting ends with the transaction, so connections may be shared, also by a pooler. If the
   * role of the connection ignores policies, as superusers do, the transaction fails: see {@link role}.
   */
  readonly tenant?: string | number | bigint;
  /** Role of PostgreSQL that the transaction takes (`SET LOCAL ROLE`), such as one without the rights of a superuser. */
  readonly role?: string;
}

/** Part of a context that {@link transaction} uses. */
export interface TransactionContext {
  readonly signal: AbortSignal;
}

/** Milliseconds that PostgreSQL has for a rollback. Then the connection is closed. */
const rollbackLimitMs = 10_000;

/** Milliseconds of the first pause before a repetition. The pause doubles with each repetition, up to the maximum. */
const firstPauseMs = 10;
const maxPauseMs = 1_000;

/**
 * Runs a function in a transaction. The function receives the context of the transaction, `tx`, in place of `ctx`: all
 * queries through `cancellable(pool, tx.signal)` run in the transaction, with drizzle, Kysely and plain `pg`. Services
 * that take a context therefore need no change.
 *
 * The transaction is committed when the function returns. If the function throws, or if `ctx.signal` aborts, PostgreSQL
 * cancels the running query, and the transaction is rolled back. A call with `tx` in place of `ctx` sets a savepoint:
 * if its function throws, only its own changes are undone.
 *
 * @param ctx - Context of the request, or another object with a signal.
 * @param pool - Pool of the package `pg`.
 * @param run - Function that makes the queries.
 * @param options - Isolation level, repetitions, tenant and role.
 * @example
 * ```ts
 * "POST /transfers": ({ body, ctx }) =>
 *   transaction(ctx, pool, async (tx) => {
 *     await accounts.withdraw(tx, body.from, body.amount);
 *     await accounts.deposit(tx, body.to, body.amount);
 *   }),
 * ```
 * @throws {TypeError} If an option is invalid.
 */
export async function transaction<C extends TransactionContext, T>(
  ctx: C,
  pool: CancellablePool,
  run: (tx: C) => T | Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { retries, ...settings } = readOptions("transaction", options, [
    "isolation",
    "retries",
    "tenant",
    "role",
  ]);
  const base = basePool(pool);
  const outer = findScope(base, ctx.signal);
  const withContext = async (scope: TransactionScope): Promise<T> => {
    const signal = AbortSignal.any([ctx.signal]);
    bindScope(signal, scope);
    return run(overlay(ctx, { signal } as Partial<Record<keyof C, unknown>>));
  };
  if (outer !== undefined) return runInSavepoint(outer, scopeOf(ctx.signal), settings, withContext);
  for (let attempt = 0; ; attempt++) {
    try {
      return await runInTransaction(base, ctx.signal, settings, withContext);
    } catch (error) {
      if (attempt >= retries || ctx.signal.aborted || !isTransactionConflict(error)) throw error;
    }
    const longest = Math.min(firstPauseMs * 2 ** attempt, maxPauseMs);
    // Transactions that met must not meet again.
    await sleep(Math.random() * longest, undefined, { signal: ctx.signal });
  }
}

/**
 * Runs the rest of a request in a transaction, for a wrapper. Until `next` has ended, all queries through
 * `cancellable(pool, ctx.signal)` belong to the transaction. The transaction is committed when the handler returns, and
 * rolled back if the handler or a later middleware throws, or if `ctx.signal` aborts.
 *
 * The rest of a request runs only once. For repetitions after conflicts, use {@link transaction}. Transactions of
 * requests leave one connection of the pool free, for queries of the pool itself.
 *
 * @param ctx - Context of the request.
 * @param pool - Pool of the package `pg`.
 * @param next - Function that runs the rest of the request.
 * @param options - Isolation level, tenant and role.
 * @example
 * ```ts
 * export const inTransaction = defineWrapper(({ ctx }, next) => requestTransaction(ctx, pool, next));
 * ```
 * @throws {TypeError} If an option is invalid.
 */
export async function requestTransaction<T>(
  ctx: TransactionContext,
  pool: CancellablePool,
  next: () => Promise<T>,
  options: Omit<TransactionOptions, "retries"> = {},
): Promise<T> {
  const settings = readOptions("requestTransaction", options, ["isolation", "tenant", "role"]);
  const { signal } = ctx;
  const base = basePool(pool);
  const before = scopeOf(signal);
  const bound = async (scope: TransactionScope): Promise<T> => {
    bindScope(signal, scope);
    try {
      return await next();
    } finally {
      if (before === undefined) unbindScope(signal);
      else bindScope(signal, before);
    }
  };
  const outer = findScope(base, signal);
  if (outer !== undefined) return runInSavepoint(outer, before, settings, bound);
  const giveBack = await takePlace(base, signal);
  try {
    return await runInTransaction(base, signal, settings, bound);
  } finally {
    giveBack();
  }
}

async function runInTransaction<T>(
  pool: Pool,
  signal: AbortSignal,
  { isolation = "read committed", tenant, role }: Settings,
  run: (scope: TransactionScope) => Promise<T>,
): Promise<T> {
  const client = (await cancellable(pool as unknown as ConnectingPool, signal).connect()) as Client;
  const open = new OpenTransaction(client, pool, isolation, tenant, role);
  const scope: TransactionScope = { open, parent: scopeOf(signal), isEnded: false };
  const aborted = Promise.withResolvers<never>();
  // The signal may abort before or after the race.
  aborted.promise.catch(() => undefined);
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let result: T;
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    if (role !== undefined) await client.query(`SET LOCAL ROLE "${role.replaceAll('"', '""')}"`);
    if (tenant !== undefined) await selectTenant(client, tenant);
    // A function that ignores the signal must not keep the connection.
    result = await Promise.race([run(scope), aborted.promise]);
    await open.settle();
    scope.isEnded = true;
    open.end();
    await commit(client);
  } catch (error) {
    scope.isEnded = true;
    open.end();
    client.release(await rollBack(client));
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  client.release();
  return result;
}

/** Selects the rows of a tenant until the end of the transaction. */
async function selectTenant(client: Client, tenant: string): Promise<void> {
  const { rows } = (await client.query(
    "SELECT pg_catalog.set_config('kit.tenant', $1, true), rolname, rolsuper OR rolbypassrls AS exempt FROM pg_catalog.pg_roles WHERE rolname = current_user",
    [tenant],
  )) as { rows: readonly { rolname: string; exempt: boolean }[] };
  const [own] = rows;
  if (own?.exempt !== false) {
    throw new Error(
      `The role "${own?.rolname ?? "of the connection"}" ignores the policies of tables with @tenant, so the transaction would see the rows of all tenants: connect as a role without SUPERUSER and BYPASSRLS, or name one with the option \`role\``,
    );
  }
}

interface ConnectingPool extends CancellablePool {
  connect(): Promise<unknown>;
}

/** Commits the transaction of a connection. PostgreSQL rolls back instead, without an error, if a query has failed. */
async function commit(client: Client): Promise<void> {
  if ((client.getTransactionStatus?.() ?? "T") === "I") {
    throw new Error("A query of the function ended the transaction, so transaction() cannot commit it");
  }
  const { command } = (await client.query("COMMIT")) as { command?: string };
  if (command !== "ROLLBACK") return;
  throw new Error(
    "The transaction was rolled back, because one of its queries failed and the function returned nevertheless: rethrow the error, or run this query in a transaction of its own, transaction(tx, pool, …)",
  );
}

/** Rolls back the transaction of a connection. Returns the error if the connection must not be used again. */
async function rollBack(client: Client): Promise<unknown> {
  if (client.getTransactionStatus?.() === "I") return undefined;
  const timer = new AbortController();
  try {
    await Promise.race([
      client.query("ROLLBACK"),
      sleep(rollbackLimitMs, undefined, { signal: timer.signal, ref: false }).then(() => {
        throw new Error(`PostgreSQL did not roll back within ${rollbackLimitMs} ms`);
      }),
    ]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    timer.abort();
  }
}

async function runInSavepoint<T>(
  outer: TransactionScope,
  parent: TransactionScope | undefined,
  { isolation, tenant, role }: Settings,
  run: (scope: TransactionScope) => Promise<T>,
): Promise<T> {
  const { open } = outer;
  if (outer.isEnded) throw hasEnded();
  for (const [name, wanted, given] of [
    ["tenant", tenant, open.tenant],
    ["role", role, open.role],
  ] as const) {
    if (wanted !== undefined && wanted !== given) {
      throw new TypeError(
        `A transaction with another ${name} cannot run inside of a transaction: pass \`${name}\` to the outermost call`,
      );
    }
  }
  if (
    isolation !== undefined &&
    isolationLevels.indexOf(isolation) > isolationLevels.indexOf(open.isolation)
  ) {
    throw new TypeError(
      `A transaction with the isolation "${isolation}" cannot run inside of one with "${open.isolation}": pass \`isolation: "${isolation}"\` to the outermost call`,
    );
  }
  const scope: TransactionScope = { open, parent, isEnded: false };
  const savepoint = await open.openSavepoint();
  try {
    const result = await run(scope);
    await open.settle();
    await open.releaseSavepoint(savepoint);
    return result;
  } catch (error) {
    // If the rollback fails too, the outermost call rolls back everything.
    await open.rollBackToSavepoint(savepoint).catch(() => undefined);
    throw error;
  } finally {
    scope.isEnded = true;
  }
}

/** Options of {@link transaction} after a check. */
interface Settings {
  readonly isolation: Isolation | undefined;
  readonly tenant: string | undefined;
  readonly role: string | undefined;
}

/** Returns the options of a function after a check. */
function readOptions(
  name: string,
  options: TransactionOptions,
  known: readonly (keyof TransactionOptions)[],
): Settings & { readonly retries: number } {
  const unknown = Object.keys(options).find((key) => !known.includes(key as keyof TransactionOptions));
  if (unknown !== undefined) {
    throw new TypeError(`${name}: there is no option \`${unknown}\`; the options are ${known.join(", ")}`);
  }
  const { isolation, retries = 0, tenant, role } = options;
  if (isolation !== undefined && !isolationLevels.includes(isolation)) {
    throw new TypeError(
      `${name}: \`isolation\` must be one of ${isolationLevels.map((level) => `"${level}"`).join(", ")}, not ${JSON.stringify(isolation)}`,
    );
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > 100) {
    throw new TypeError(`${name}: \`retries\` must be an integer from 0 to 100, not ${String(retries)}`);
  }
  // The key may be there with a value that is missing: a request without a tenant must not see the rows of all.
  if ("tenant" in options && !["string", "number", "bigint"].includes(typeof tenant)) {
    throw new TypeError(`${name}: \`tenant\` must be a string or a number, not ${String(tenant)}`);
  }
  // The id of a claim that is missing is often NaN, which all such requests would share.
  if (typeof tenant === "number" && !Number.isSafeInteger(tenant)) {
    throw new TypeError(`${name}: \`tenant\` must be an integer if it is a number, not ${tenant}`);
  }
  for (const [key, text] of [
    ["tenant", tenant],
    ["role", role],
  ] as const) {
    if (text === "") throw new TypeError(`${name}: \`${key}\` is empty`);
  }
  return { isolation, retries, tenant: tenant === undefined ? undefined : String(tenant), role };
}
