import { PostgresError } from "./postgres-protocol.ts";
import type { Connection } from "./postgres-protocol.ts";

/** Time in milliseconds after which an idle connection is closed. A new login takes longer than most queries. */
const KEPT_MS = 5_000;

/** Pool of connections to one server. Each connection serves one caller at a time. */
export class Connections {
  readonly #open: () => Promise<Connection>;
  readonly #idle: { readonly connection: Connection; readonly timer: NodeJS.Timeout }[] = [];

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  /** Calls a function with a connection that no other caller uses at the same time. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = (await this.#kept()) ?? (await this.#open());
    try {
      const result = await work(connection);
      this.#keep(connection);
      return result;
    } catch (error) {
      // The connection still works after an error that PostgreSQL reported.
      if (error instanceof PostgresError) this.#keep(connection);
      else connection.end();
      throw error;
    }
  }

  /** Closes the idle connections. */
  end(): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      connection.end();
    }
  }

  /**
   * Returns an idle connection that still works. Returns `undefined` if no such connection is in the pool,
   * for example because the server has stopped.
   */
  async #kept(): Promise<Connection | undefined> {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      const { connection, timer } = kept;
      clearTimeout(timer);
      try {
        // oxlint-disable-next-line no-await-in-loop -- the first connection that responds is used
        if (!connection.closed) await connection.query("");
        if (!connection.closed) return connection;
      } catch {
        // The caller opens another connection, whose error tells the reason.
      }
      connection.end();
    }
    return undefined;
  }

  #keep(connection: Connection): void {
    if (connection.closed) return;
    const kept = {
      connection,
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(kept), 1);
        connection.end();
      }, KEPT_MS),
    };
    kept.timer.unref();
    this.#idle.push(kept);
  }
}
