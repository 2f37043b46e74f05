import type { Plugin } from "@kit/core";
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import { defaults, Pool, types } from "pg";
import { type CamelDatabase, configure } from "../.kit/schemas/database.ts";

/** `DATABASE_URL`, or during development the PostgreSQL that kit runs for this project. */
async function connectionString(): Promise<string> {
  const url = process.env["DATABASE_URL"];
  if (url !== undefined && url !== "") return url;
  if (process.env["NODE_ENV"] === "production") {
    throw new Error(
      "DATABASE_URL is not set: it names the database, postgres://user:password@host:5432/name",
    );
  }
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

// Values come as the generated types say.
configure({ defaults, types });

const pool = new Pool({
  connectionString: await connectionString(),
  // The columns are `timestamp` without a zone; `now()` has to mean the same wherever the server stands.
  options: "-c TimeZone=UTC",
});

// A connection that breaks while nobody uses it (the database restarts, say) is replaced at the next query.
pool.on("error", (error) => console.error(`database: ${error.message}`));

/** The application's database, in camel case; `kit build` makes the tables' types of those with `@table`. */
export const db = new Kysely<CamelDatabase>({
  dialect: new PostgresDialect({ pool }),
  // What is in a column of JSON keeps its names.
  plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
});

/** Ties the database to the application: without one it does not start, and at its end it gives the connections back. */
export const database: Plugin = {
  name: "database",
  onStart: async () => {
    await pool.query("select 1");
  },
  onStop: () => pool.end(),
};
