import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/** Options of {@link testDatabase}. */
export interface TestDatabaseOptions {
  /** Directory of the project. Default: the working directory. */
  readonly root?: string;
  /** Name of the database on the embedded server. Default: `test`. */
  readonly name?: string;
}

/**
 * Prepares a test database and applies the migrations of `migrations/`. The database is on the server of `TEST_DATABASE_URL` if this
 * variable is set, and otherwise on the project's embedded PostgreSQL.
 *
 * Sets `DATABASE_URL` to the URL of the test database, so call the function before you import the
 * application. The function never uses the database that `DATABASE_URL` named before, because its data may
 * matter.
 *
 * @returns The URL of the database.
 * @example
 * ```ts
 * await testDatabase();
 * const { app } = await import("../src/app.ts");
 * ```
 * @throws {Error} if there is no database, or if a migration fails. The message says what to do.
 */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<string> {
  const root = resolve(options.root ?? ".");
  const url = process.env["TEST_DATABASE_URL"]?.trim() || (await embedded(root, options.name ?? "test"));
  process.env["DATABASE_URL"] = url;
  if (existsSync(join(root, "migrations"))) await migrate(root);
  return url;
}

async function embedded(root: string, name: string): Promise<string> {
  const { openDatabase } = await import("@kit/dev-database").catch(noDatabase);
  return (await openDatabase({ root, name })).url;
}

/** Throws an error that explains what to do if the embedded database is not installed. */
export function noDatabase(cause: unknown): never {
  throw new Error(
    "The tests need a database. Set TEST_DATABASE_URL, or run `npm install --save-dev @kit/dev-database` to use the embedded database",
    { cause },
  );
}

/** Applies the migrations of a project to the database of `DATABASE_URL`, which is for tests only: its rows may be lost. */
export async function migrate(root: string): Promise<void> {
  const kit = findKit(root);
  try {
    // A `MIGRATE_URL` of the environment or of `.env` must not select another database.
    const env = { ...process.env, MIGRATE_URL: process.env["DATABASE_URL"] };
    const args = [kit, "migrate:apply", "--allow-destructive"];
    await promisify(execFile)(process.execPath, args, { cwd: root, env });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim();
    throw new Error(`Cannot apply the migrations to the test database:\n${said ?? String(error)}`, {
      cause: error,
    });
  }
}

function findKit(root: string): string {
  for (let directory = root; ; directory = dirname(directory)) {
    const path = join(directory, "node_modules/@kit/cli/bin/kit.js");
    if (existsSync(path)) return path;
    if (dirname(directory) === directory) break;
  }
  throw new Error(
    `Cannot apply the migrations of ${root}, because the package @kit/cli is not installed. Run \`npm install --save-dev @kit/cli\``,
  );
}
