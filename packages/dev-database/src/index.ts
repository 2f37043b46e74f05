/**
 * A real PostgreSQL for development and tests, without installing one: its binaries come from npm, its data lives in the
 * project's `.data/`, and it runs exactly as long as someone uses it.
 *
 * Every process that wants the database holds a lease, a connection to a small detached *keeper* process whose child
 * PostgreSQL is. The first lease starts both; some seconds after the last one is gone, however it went, both stop.
 *
 * @module
 */
import { lease } from "./lease.ts";
import { placesOf } from "./places.ts";
import type { DatabaseOptions } from "./places.ts";

export { DevDatabaseError } from "./errors.ts";
export type { DatabaseOptions } from "./places.ts";

/** A database that stays up for as long as this is open. */
export interface DevDatabase extends AsyncDisposable {
  /** `postgres://kit:…@127.0.0.1:54321/app`; the same for every process, and after a restart as long as the port is free. */
  readonly url: string;
  /** Gives it back. PostgreSQL stops when nobody else has it open. Calling it twice is fine. */
  close(): Promise<void>;
}

/**
 * Opens the project's embedded database, starting it where it is not running. An open database does not keep the process
 * alive: a script that is done ends, and gives it back by ending.
 *
 * @example
 * ```ts
 * const database = await openDatabase();
 * const pool = new Pool({ connectionString: database.url });
 * ```
 */
export async function openDatabase(options: DatabaseOptions = {}): Promise<DevDatabase> {
  const held = await lease(placesOf(options), options.name ?? "app");
  return {
    url: held.url,
    close: () => held.release(),
    [Symbol.asyncDispose]: () => held.release(),
  };
}

/**
 * The database to use: `DATABASE_URL` where it is set, else the project's embedded one, which then stays up as long as
 * this process lives.
 *
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: await databaseUrl() });
 * ```
 */
export async function databaseUrl(options: DatabaseOptions = {}): Promise<string> {
  const configured = process.env["DATABASE_URL"];
  if (configured !== undefined && configured !== "") return configured;
  return (await openDatabase(options)).url;
}
