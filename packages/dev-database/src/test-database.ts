import { type Connection, open } from "./postgres-protocol.ts";

/**
 * Connection to a test's database. The connection is opened by the first query, and does not keep the process alive.
 */
export class TestConnection {
  readonly #url: URL;
  #connection: Promise<Connection> | undefined;
  /** Result of the last query, which the next query waits for. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Runs a query and returns its rows, each value as a string. */
  query(sql: string): Promise<(string | null)[][]> {
    const asked = this.#last.then(() => this.#ask(sql));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await this.#last;
    if (connection !== undefined) (await connection.catch(() => undefined))?.end();
  }

  async #ask(sql: string): Promise<(string | null)[][]> {
    // The server has been restarted, which closed the connection.
    if ((await this.#connection)?.closed === true) this.#connection = undefined;
    const connection = await this.#open();
    connection.hold(true);
    try {
      return await connection.query(sql);
    } finally {
      // The test process can exit even if the test does not close its database.
      connection.hold(false);
    }
  }

  #open(): Promise<Connection> {
    const { port, username, password, pathname } = this.#url;
    const login = {
      port: Number(port),
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    };
    // No timeout, because the time between two queries of a test is unlimited.
    return (this.#connection ??= open(login, 0));
  }
}
