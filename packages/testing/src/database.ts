import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/** Which database. */
export interface TestDatabaseOptions {
  /** The project. Default: the working directory. */
  readonly root?: string;
  /** The database within the embedded server. Default: `test`. */
  readonly name?: string;
}

/**
 * Gives tests a database of their own, with the tables of `migrations/`: the one that `TEST_DATABASE_URL` names, else one of the
 * project's embedded PostgreSQL. `DATABASE_URL` names it afterwards, so call this before the application is imported; what
 * `DATABASE_URL` named before is never touched, since what is there may matter.
 *
 * @returns The database's URL.
 * @example
 * ```ts
 * await testDatabase();
 * const { app } = await import("../src/app.ts");
 * ```
 * @throws {Error} that says what to do where there is no database, or where a migration fails.
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

/** Says what to do where the embedded database is not installed. */
export function noDatabase(cause: unknown): never {
  throw new Error(
    "There is no database for the tests. Name one with TEST_DATABASE_URL, or run `npm install --save-dev @kit/dev-database`",
    { cause },
  );
}

/** Applies the migrations of a project to the database that `DATABASE_URL` names. */
export async function migrate(root: string): Promise<void> {
  const kit = findKit(root);
  try {
    await promisify(execFile)(process.execPath, [kit, "migrate:apply"], { cwd: root });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim();
    throw new Error(
      `The migrations could not be applied to the database of the tests:\n${said ?? String(error)}`,
      {
        cause: error,
      },
    );
  }
}

function findKit(root: string): string {
  for (let directory = root; ; directory = dirname(directory)) {
    const path = join(directory, "node_modules/@kit/cli/bin/kit.js");
    if (existsSync(path)) return path;
    if (dirname(directory) === directory) break;
  }
  throw new Error(
    `There are migrations in ${root}, but no kit to apply them. Run \`npm install --save-dev @kit/cli\``,
  );
}
