import type { Plugin } from "@kit/core";
import { drizzle } from "drizzle-orm/node-postgres";
import { Client, Pool } from "pg";

/** Returns `DATABASE_URL`, or during development the URL of the PostgreSQL that kit runs for this project. */
async function findUrl(): Promise<string> {
  const url = process.env["DATABASE_URL"]?.trim();
  if (url !== undefined && url !== "") return url;
  const { databaseUrl } = await import("@kit/dev-database");
  return databaseUrl();
}

const connectionString = await findUrl();

/** Connections of the process. */
export const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000 });
pool.on("error", (error) => console.error(`database: ${error.message}`));

/** Database of the chat. */
export const db = drizzle(pool);

/** Channel of `NOTIFY`. Its payload is the name of a room that has a new message. */
export const channel = "chat_rooms";

/** Milliseconds before a lost connection is opened again. */
const reconnectMs = 1_000;

/**
 * Listens to the channel on a connection of its own, and calls `onRoom` with each payload. After a lost connection, calls
 * `onGap`, because notifications may be missing.
 */
class Listener {
  readonly #onRoom: (room: string) => void;
  readonly #onGap: () => void;
  #client: Client | undefined;
  #isStopped = false;

  constructor(onRoom: (room: string) => void, onGap: () => void) {
    this.#onRoom = onRoom;
    this.#onGap = onGap;
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString });
    client.on("notification", ({ payload = "" }) => this.#onRoom(payload));
    client.on("error", (error) => console.error(`database: ${error.message}`));
    client.on("end", () => this.#restart());
    await client.connect();
    await client.query(`listen ${channel}`);
    this.#client = client;
    this.#onGap();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client?.end();
  }

  #restart(): void {
    if (this.#isStopped || this.#client === undefined) return;
    const retry = (): void => {
      if (!this.#isStopped) this.start().catch(() => setTimeout(retry, reconnectMs));
    };
    setTimeout(retry, reconnectMs);
  }
}

/** Connects the database to the lifecycle of the application. The functions are those of {@link Listener}. */
export function database(onRoom: (room: string) => void, onGap: () => void): Plugin {
  const listener = new Listener(onRoom, onGap);
  return {
    name: "database",
    onStart: () => listener.start(),
    onStop: async () => {
      await listener.stop();
      await pool.end();
    },
  };
}
