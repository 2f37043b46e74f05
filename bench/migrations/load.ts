/** Sessions that read and write a table, and the longest time that one of their statements took. */
import { setTimeout } from "node:timers/promises";

import { Client } from "pg";

const WRITERS = 4;
const READERS = 2;

/** Load that was measured. */
export interface Measured {
  /** Longest duration of a statement in milliseconds. */
  readonly longestWrite: number;
  readonly longestRead: number;
  readonly statements: number;
  /** SQL states of statements that failed, such as `40P01` for a deadlock. */
  readonly failures: readonly string[];
}

/** Load that runs until it is stopped. */
export interface Load {
  stop(): Promise<Measured>;
}

/** Starts four writers and two readers of the table `items`, which has `count` rows. */
export async function start(url: string, count: number): Promise<Load> {
  const stopping = new AbortController();
  const longest = { write: 0, read: 0 };
  const failures: string[] = [];
  let statements = 0;
  let next = count;
  const any = (): number => 1 + Math.floor(Math.random() * count);
  const session = async (kind: "read" | "write", statement: () => [string, unknown[]]): Promise<void> => {
    const client = new Client({ connectionString: url, application_name: `load ${kind}` });
    await client.connect();
    try {
      while (!stopping.signal.aborted) {
        const [sql, values] = statement();
        const begun = performance.now();
        try {
          // oxlint-disable-next-line no-await-in-loop -- a session runs one statement at a time
          await client.query(sql, values);
        } catch (error) {
          failures.push((error as { code?: string }).code ?? String(error));
        }
        longest[kind] = Math.max(longest[kind], performance.now() - begun);
        statements += 1;
        // oxlint-disable-next-line no-await-in-loop -- leaves time to the other sessions
        await setTimeout(2);
      }
    } finally {
      await client.end();
    }
  };
  const writes = (): [string, unknown[]] => {
    if (Math.random() < 0.8) return ["UPDATE items SET hits = hits + 1 WHERE id = $1", [any()]];
    next += 1;
    return [
      "INSERT INTO items (id, hits, code, kind) VALUES ($1::integer, 0, 'code ' || $1::integer, 'b')",
      [next],
    ];
  };
  const reads = (): [string, unknown[]] => [
    "SELECT id, hits FROM items WHERE id BETWEEN $1::integer AND $1::integer + 20",
    [any()],
  ];
  const sessions = [
    ...Array.from({ length: WRITERS }, () => session("write", writes)),
    ...Array.from({ length: READERS }, () => session("read", reads)),
  ];
  await setTimeout(500);
  // The first statements of a session read the catalogs.
  [longest.write, longest.read] = [0, 0];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(sessions);
      return { longestWrite: longest.write, longestRead: longest.read, statements, failures };
    },
  };
}
