import { Pool } from "pg";
import type { Note } from "./notes.types.ts";

/** Every subject opens as many connections; eleven of them stay below the limit of the embedded PostgreSQL. */
const connections = 4;
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: connections });
pool.on("error", (error) => console.error(error.message));

/** Prepared once a connection, as sqlx does by itself. */
const query = {
  name: "read-note",
  text: `select id, title, content, author_id as "authorId", archived, created_at as "createdAt", updated_at as "updatedAt"
    from bench_notes where id = $1`,
};

/** Reads a note from PostgreSQL. The pool connects when it is first asked. */
export async function findStored(id: string): Promise<Note | undefined> {
  const { rows } = await pool.query<Note>({ ...query, values: [id] });
  return rows[0];
}
