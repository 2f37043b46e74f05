// Runs a seed program in a transaction. The working directory is the root of the project, so its packages are imported.
// Arguments: file for a message to the user, adapter, path of the program, path of the generated schema file.
import { existsSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, report, adapter, program, schemas] = process.argv;

function refuse(message) {
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

const { default: seed } = await import(pathToFileURL(program).href);
if (typeof seed !== "function") {
  refuse(
    "the file has no default export that is a function; write `export default async function seed(db) { … }`",
  );
}
const { default: pg } = await library("pg");
const tables = existsSync(schemas) ? await import(pathToFileURL(schemas).href) : {};
// With these settings, `pg` reads values as the generated types declare. drizzle needs none.
tables.configure?.({ defaults: pg.defaults, types: pg.types });
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, options: "-c TimeZone=UTC" });
// A connection that breaks makes the query of the program fail.
pool.on("error", () => {});

if (adapter === "drizzle") {
  const { drizzle } = await library("drizzle-orm/node-postgres");
  const db = drizzle(pool, tables.schema === undefined ? {} : { schema: tables.schema });
  await db.transaction((transaction) => seed(transaction));
} else if (adapter === "kysely") {
  const { Kysely, PostgresDialect } = await library("kysely");
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  await db.transaction().execute((transaction) => seed(transaction));
} else {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await seed(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
await pool.end();
