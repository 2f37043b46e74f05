import { WireError } from "./wire.ts";
import type { Connection } from "./wire.ts";

/** How long a connection that nobody uses is kept: logging in takes longer than most of what is asked. */
const KEPT_MS = 5_000;

/** Connections to one server that are used again, each by one at a time. */
export class Connections {
  readonly #open: () => Promise<Connection>;
  readonly #idle: { readonly connection: Connection; readonly timer: NodeJS.Timeout }[] = [];

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  /** Does something with a connection that nobody else uses meanwhile. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = (await this.#kept()) ?? (await this.#open());
    try {
      const result = await work(connection);
      this.#keep(connection);
      return result;
    } catch (error) {
      // What PostgreSQL refuses leaves the connection as it was.
      if (error instanceof WireError) this.#keep(connection);
      else connection.end();
      throw error;
    }
  }

  /** Ends those that nobody uses. */
  end(): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      connection.end();
    }
  }

  /** One that is kept and still leads to the server, which may have ended meanwhile. */
  async #kept(): Promise<Connection | undefined> {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      const { connection, timer } = kept;
      clearTimeout(timer);
      try {
        // oxlint-disable-next-line no-await-in-loop -- the first that answers will do
        if (!connection.closed) await connection.query("");
        if (!connection.closed) return connection;
      } catch {
        // The next one, or a new one, will say why.
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
