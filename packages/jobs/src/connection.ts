import { cancellable, type CancellablePool } from "@kit/core/pg";
import { type Db as IDatabase, fromDrizzle, fromKysely } from "pg-boss";

import { standardTypes } from "./standard-types.ts";

/**
 * Place where a job is stored: the context of a request or of a `transaction` of `@kit/core/pg`, a client or a pool of the package
 * `pg`, or a database or transaction of drizzle or Kysely.
 */
export type JobConnection =
  | { readonly signal: AbortSignal }
  | { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> }
  | { execute: (query: never) => unknown; select: (...given: never[]) => unknown }
  | { executeQuery: (query: never) => Promise<{ rows: unknown[] }> };

/** The part of a pool of the package `pg` that this package uses. */
export interface JobsPool extends CancellablePool {
  readonly options: object;
}

interface Queryable {
  query(query: { text: string; values?: unknown[]; types: object }): Promise<{ rows: unknown[] }>;
}

/** Returns the functions with which pg-boss makes its queries on a pool or a client of the package `pg`. */
export function databaseOf(queryable: unknown): IDatabase {
  return {
    executeSql: (text, values) =>
      (queryable as Queryable).query({
        text,
        types: standardTypes,
        ...(values !== undefined && { values }),
      }),
  };
}

/**
 * Returns the functions with which pg-boss makes its queries on the connection of the caller. `pool` is the pool to which contexts of
 * kit belong.
 *
 * @throws {TypeError} If the value is no connection.
 */
export async function callersDatabase(connection: JobConnection, pool: JobsPool): Promise<IDatabase> {
  const given = connection as Partial<Record<string, unknown>> | null | undefined;
  if (typeof given?.["executeQuery"] === "function")
    return fromKysely(connection as Parameters<typeof fromKysely>[0]);
  if (typeof given?.["execute"] === "function" && typeof given["select"] === "function") {
    // Only projects that use drizzle have the package.
    const { sql } = await import("drizzle-orm");
    return fromDrizzle(connection as Parameters<typeof fromDrizzle>[0], sql);
  }
  if (typeof given?.["query"] === "function") return databaseOf(connection);
  if (given?.["signal"] instanceof AbortSignal) return databaseOf(cancellable(pool, given["signal"]));
  throw new TypeError(
    "enqueue: the first argument must be the context of a request or a transaction, or a connection of pg, drizzle or Kysely",
  );
}
