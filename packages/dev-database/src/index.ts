/**
 * PostgreSQL for development and tests without an installation: the programs come from npm, the data is in the project's `.data/`, and the
 * server runs only while it is used.
 *
 * Every process that uses the database holds a lease: a connection to a small detached *keeper* process,
 * which runs PostgreSQL as its child. The first lease starts the keeper and PostgreSQL. They stop some
 * seconds after the last lease is released or its process has ended.
 *
 * @module
 */
import { configuredUrl } from "./configured.ts";
import { lease, leaseCopy, sendControl, stop } from "./lease.ts";
import type { Lease } from "./lease.ts";
import { applyMigrations, keyOf } from "./migrations.ts";
import { pathsOf, projectRoot } from "./paths.ts";
import type { DatabaseOptions } from "./paths.ts";
import { TestConnection } from "./test-database.ts";

export { DevDatabaseError } from "./errors.ts";
export type { DatabaseOptions } from "./paths.ts";

/** Open database. It runs at least until it is closed. */
export interface DevDatabase extends AsyncDisposable {
  /**
   * URL such as `postgres://kit:…@127.0.0.1:54321/app`. All processes get the same URL. After a restart, the
   * URL is the same if the port is still free.
   */
  readonly url: string;
  /** Releases the database. PostgreSQL stops when no other process uses it. A second call has no effect. */
  close(): Promise<void>;
}

/**
 * Opens the project's embedded database, and starts it if it does not run. An open database does not keep the process alive: when the
 * process exits, it releases the database.
 *
 * @throws {DevDatabaseError} if the database cannot be started. Its `hint` says what to do.
 * @example
 * ```ts
 * const database = await openDatabase();
 * const pool = new Pool({ connectionString: database.url });
 * pool.on("error", (error) => console.error(error.message));
 * ```
 */
export async function openDatabase(options: DatabaseOptions = {}): Promise<DevDatabase> {
  return opened(await lease(pathsOf(options), options.name ?? NAME));
}

/**
 * Returns the URL of the database to use: `DATABASE_URL` if it is set, otherwise the project's embedded
 * database, which then runs as long as this process. The embedded database is for development only: in
 * production and in CI, a blank `DATABASE_URL` is an error, because it usually means that a secret is
 * missing.
 *
 * @throws {DevDatabaseError} if `DATABASE_URL` is blank with `NODE_ENV=production` or in CI, or if the embedded database cannot be started.
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: await databaseUrl() });
 * pool.on("error", (error) => console.error(error.message));
 * ```
 */
export async function databaseUrl(options: DatabaseOptions = {}): Promise<string> {
  return configuredUrl(process.env) ?? (await openDatabase(options)).url;
}

/** Options of {@link createTestDatabase}. */
export interface TestDatabaseOptions extends Omit<DatabaseOptions, "name"> {
  /** Template that replaces the project's migrations. */
  readonly template?: Template;
}

/** Database that belongs to one test. */
export interface TestDatabase extends DevDatabase {
  /** Runs a query and returns its rows, each value as a string. It needs no database driver of the application. */
  query(sql: string): Promise<(string | null)[][]>;
}

/** Template database. Test databases are copies of it. */
export interface Template {
  /** Key of this version of the template. Use another key whenever `prepare` changes. */
  readonly key: string;
  /**
   * Fills an empty database with tables and rows. The first process that needs a database with the key calls
   * this function. Other processes do not call it.
   */
  readonly prepare: (url: string) => Promise<void>;
}

/**
 * Creates a database for one test, with the empty tables of the project's migrations. The database is dropped when it is closed or when
 * this process ends for any reason. The migrations run once, in a template that is kept until they change. A copy takes some milliseconds.
 *
 * The database is on a separate embedded server for tests, even if `DATABASE_URL` is set, so that a test
 * never changes your data. The server for tests does not use fsync, which makes it several times faster.
 * After a crash of the machine, it is created again.
 *
 * @throws {DevDatabaseError} if the server cannot be started or the migrations fail. Its `hint` says what to do.
 * @example
 * ```ts
 * await using database = await createTestDatabase();
 * const pool = new Pool({ connectionString: database.url });
 * pool.on("error", (error) => console.error(error.message));
 * ```
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const root = projectRoot(options.root ?? ".");
  const { template } = options;
  const key = template === undefined ? keyOf(root) : keyOf(undefined, template.key);
  const prepare = template?.prepare ?? ((url: string) => applyMigrations(root, url));
  const held = await leaseCopy(pathsOf(options, "tests"), key, prepare);
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

/**
 * Starts the project's embedded database and returns its URL. The database runs until {@link stopDatabase}.
 *
 * @throws {DevDatabaseError} if the database cannot be started.
 * @example
 * ```ts
 * const url = await startDatabase({ root: "examples/notes" });
 * ```
 */
export function startDatabase(options: DatabaseOptions = {}): Promise<string> {
  return sendControl(pathsOf(options), "start", options.name ?? NAME);
}

/**
 * Releases the database that {@link startDatabase} keeps running. Stops the database if no other process uses it.
 *
 * @returns The number of processes or sessions that still use the database. The database stops when the last of these
 *   ends.
 * @example
 * ```ts
 * const users = await stopDatabase();
 * if (users > 0) console.log(`${users} programs still use the database`);
 * ```
 */
export function stopDatabase(options: DatabaseOptions = {}): Promise<number> {
  return stop(pathsOf(options), options.name ?? NAME);
}

/**
 * Deletes everything in the database, closes its sessions, and opens it again, empty.
 *
 * @throws {DevDatabaseError} if the database cannot be started.
 * @example
 * ```ts
 * await using database = await resetDatabase();
 * const pool = new Pool({ connectionString: database.url });
 * pool.on("error", (error) => console.error(error.message));
 * ```
 */
export async function resetDatabase(options: DatabaseOptions = {}): Promise<DevDatabase> {
  await sendControl(pathsOf(options), "reset", options.name ?? NAME);
  return await openDatabase(options);
}

/** Default name of the database. */
const NAME = "app";

function opened(held: Lease): DevDatabase {
  return {
    url: held.url,
    close: () => held.release(),
    [Symbol.asyncDispose]: () => held.release(),
  };
}
