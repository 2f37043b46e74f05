// Runs a seed program in a transaction. The working directory is the root of the project, so its packages are imported.
// Arguments: file for the result, adapter, path of the program, path of the generated schema file.
// The result is `committed`, or a message to the user.
import { existsSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, report, adapter, program, schemas] = process.argv;

function refuse(message, error) {
  if (error !== undefined) console.error(error);
  writeFileSync(report, message);
  process.exit(1);
}

async function library(name) {
  try {
    return await import(name);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return refuse(
      `the project has no package ${name}, which the program needs; run \`npm install ${name.split("/")[0]}\``,
    );
  }
}

async function load(path) {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    return refuse("the file cannot be loaded; see the output above", error);
  }
}

const { default: seed } = await load(program);
if (typeof seed !== "function") {
  refuse(
    "the file has no default export that is a function; write `export default async function seed(db) { … }`",
  );
}
const { default: pg } = await library("pg");
const tables = existsSync(schemas) ? await load(schemas) : {};
// With these settings, `pg` reads values as the generated types declare. drizzle needs none.
tables.configure?.({ defaults: pg.defaults, types: pg.types });
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, options: "-c TimeZone=UTC" });
// A connection that breaks makes the query of the program fail.
pool.on("error", () => {});

/** Runs the program. `check` runs a query in the transaction, which fails if PostgreSQL has aborted the transaction. */
async function run(db, check) {
  await seed(db);
  try {
    await check();
  } catch (error) {
    if ((error.code ?? error.cause?.code) !== "25P02") throw error;
    refuse(
      "a statement failed and the program caught its error, so PostgreSQL has rolled the transaction back; write `ON CONFLICT DO NOTHING` instead",
    );
  }
}

try {
  if (adapter === "drizzle") {
    const { drizzle } = await library("drizzle-orm/node-postgres");
    const db = drizzle(pool, tables.schema === undefined ? {} : { schema: tables.schema });
    await db.transaction((transaction) => run(transaction, () => transaction.execute("SELECT 1")));
  } else if (adapter === "kysely") {
    const { CompiledQuery, Kysely, PostgresDialect } = await library("kysely");
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
    await db
      .transaction()
      .execute((transaction) =>
        run(transaction, () => transaction.executeQuery(CompiledQuery.raw("SELECT 1"))),
      );
  } else {
    const client = await pool.connect();
    await client.query("BEGIN");
    await run(client, () => client.query("SELECT 1"));
    await client.query("COMMIT");
    client.release();
  }
} catch (error) {
  // The end of the connection rolls back what is not committed.
  refuse("it failed, and its transaction was rolled back; see the output above", error);
}
writeFileSync(report, "committed");
await pool.end();
