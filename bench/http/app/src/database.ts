import { Pool } from "pg";
import type { Note } from "./notes.types.ts";

/**
 * Number of connections to PostgreSQL, which is the same for all subjects. Eleven subjects together stay below the limit of the embedded
 * PostgreSQL.
 */
const connections = 4;
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: connections });
pool.on("error", (error) => console.error(error.message));

/** Named query, which is prepared once per connection. sqlx does the same by default. */
const query = {
  name: "read-note",
  text: `select id, title, content, author_id as "authorId", archived, created_at as "createdAt", updated_at as "updatedAt"
    from bench_notes where id = $1`,
};

/** Reads a note from PostgreSQL. The pool connects at the first query. */
export async function findStored(id: string): Promise<Note | undefined> {
  const { rows } = await pool.query<Note>({ ...query, values: [id] });
  return rows[0];
}
