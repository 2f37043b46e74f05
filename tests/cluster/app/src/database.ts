import { Pool } from "pg";

export const pool: Pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  connectionTimeoutMillis: 3_000,
  query_timeout: 8_000,
  max: 10,
});

// A connection that breaks while it is idle is replaced at the next query.
pool.on("error", (error) => console.error(`database: ${error.message}`));
