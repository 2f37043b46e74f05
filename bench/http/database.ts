import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { knownId } from "./app/src/store.ts";

/** PostgreSQL with the rows that a benchmark reads. The server stops soon after it has been closed. */
export interface FilledDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Opens kit's embedded PostgreSQL for an application, and executes statements that fill its tables. */
export async function openFilled(root: string, name: string, statements: string): Promise<FilledDatabase> {
  const database = await openDatabase({ root, name });
  const client = new Client({ connectionString: database.url });
  try {
    await client.connect();
    await client.query(statements);
  } catch (error) {
    await database.close();
    throw error;
  } finally {
    await client.end();
  }
  return database;
}

/** Opens kit's embedded PostgreSQL and fills the table of notes. */
export function openNotes(): Promise<FilledDatabase> {
  return openFilled(
    `${import.meta.dirname}/app`,
    "bench",
    `
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
    `,
  );
}
