import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { knownId } from "./app/src/store.ts";

/** PostgreSQL with the notes that the scenario `db-read` reads. The server stops soon after it has been closed. */
export interface Notes extends AsyncDisposable {
  readonly url: string;
}

/** Opens kit's embedded PostgreSQL and fills the table of notes. */
export async function openNotes(): Promise<Notes> {
  const database = await openDatabase({ root: `${import.meta.dirname}/app`, name: "bench" });
  const client = new Client({ connectionString: database.url });
  try {
    await client.connect();
    await client.query(`
      drop table if exists bench_notes;
      create table bench_notes (
        id uuid primary key,
        title varchar(200) not null,
        content varchar(10000) not null,
        author_id varchar(100) not null,
        archived boolean not null default false,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      insert into bench_notes
        select
          case when n = 1 then '${knownId}'::uuid else gen_random_uuid() end,
          'Note ' || n, 'Milk, eggs, flour', 'ada', false, '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z'
        from generate_series(1, 1000) as n;
      analyze bench_notes;
    `);
  } catch (error) {
    await database.close();
    throw error;
  } finally {
    await client.end();
  }
  return database;
}
