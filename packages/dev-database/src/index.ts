/**
 * A real PostgreSQL for development and tests, without installing one: its binaries come from npm, its data lives in the
 * project's `.data/`, and it runs exactly as long as someone uses it.
 *
 * Every process that wants the database holds a lease, a connection to a small detached *keeper* process whose child
 * PostgreSQL is. The first lease starts both; some seconds after the last one is gone, however it went, both stop.
 *
 * @module
 */
import { configuredUrl } from "./configured.ts";
import { lease, leaseCopy, order, stop } from "./lease.ts";
import type { Lease } from "./lease.ts";
import { applyMigrations, keyOf } from "./migrations.ts";
import { placesOf, projectRoot } from "./places.ts";
import type { DatabaseOptions } from "./places.ts";
import { TestConnection } from "./test-database.ts";

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
  return opened(await lease(placesOf(options), options.name ?? NAME));
}

/**
 * The database to use: `DATABASE_URL` where it is set, else the project's embedded one, which then stays up as long as
 * this process lives. The embedded one is for development: with `NODE_ENV=production` the variable has to be set.
 *
 * @throws {DevDatabaseError} where `DATABASE_URL` is not set or blank in production, or blank in CI.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: await databaseUrl() });
 * ```
 */
export async function databaseUrl(options: DatabaseOptions = {}): Promise<string> {
  return configuredUrl(process.env) ?? (await openDatabase(options)).url;
}

/** What a test's database is a copy of. */
export interface TestDatabaseOptions extends Omit<DatabaseOptions, "name"> {
  /** In place of the project's migrations: what fills the template. */
  readonly template?: Template;
}

/** A database of one test. */
export interface TestDatabase extends DevDatabase {
  /** The rows of a query, each value as text: for what a test looks up or puts in, whatever the application asks with. */
  query(sql: string): Promise<(string | null)[][]>;
}

/** Fills the database that copies are made of. */
export interface Template {
  /** Tells one template from another: a new key where `prepare` does something else. */
  readonly key: string;
  /** Fills an empty database; called once for a key, whichever process comes first. */
  readonly prepare: (url: string) => Promise<void>;
}

/**
 * A database for one test: empty tables of the project's migrations, and nobody else's. It is dropped when it is closed or this process
 * ends, however it does. The migrations run once, in a template that is kept until they change; a copy takes some milliseconds.
 *
 * It is always on an embedded server of the tests' own, whatever `DATABASE_URL` says: a test never touches data of yours. That server
 * does not sync what it writes, which is several times faster; where the machine stops meanwhile, it is made anew.
 *
 * @example
 * ```ts
 * await using database = await createTestDatabase();
 * const pool = new Pool({ connectionString: database.url });
 * ```
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const root = projectRoot(options.root ?? ".");
  const { template } = options;
  const key = template === undefined ? keyOf(root) : keyOf(undefined, template.key);
  const prepare = template?.prepare ?? ((url: string) => applyMigrations(root, url));
  const held = await leaseCopy(placesOf(options, "tests"), key, prepare);
  const connection = new TestConnection(held.url);
  const close = async (): Promise<void> => {
    await connection.close();
    await held.release();
  };
  return {
    url: held.url,
    query: (sql) => connection.query(sql),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts the project's embedded database and keeps it running until {@link stopDatabase}; its URL. */
export function startDatabase(options: DatabaseOptions = {}): Promise<string> {
  return order(placesOf(options), "start", options.name ?? NAME);
}

/**
 * Keeps it no longer, and stops it where nobody uses it.
 *
 * @returns How many processes or sessions use it still; it stops after the last.
 */
export function stopDatabase(options: DatabaseOptions = {}): Promise<number> {
  return stop(placesOf(options), options.name ?? NAME);
}

/** Deletes all that is in the database, ends its sessions, and opens it empty. */
export async function resetDatabase(options: DatabaseOptions = {}): Promise<DevDatabase> {
  await order(placesOf(options), "reset", options.name ?? NAME);
  return await openDatabase(options);
}

/** The database that is meant where none is named. */
const NAME = "app";

function opened(held: Lease): DevDatabase {
  return {
    url: held.url,
    close: () => held.release(),
    [Symbol.asyncDispose]: () => held.release(),
  };
}
