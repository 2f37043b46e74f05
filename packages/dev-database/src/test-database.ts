import { type Connection, open } from "./wire.ts";

/** A connection to a test's database. It is opened when it is first used, and keeps no process alive. */
export class TestConnection {
  readonly #url: URL;
  #connection: Promise<Connection> | undefined;
  /** One query at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** The rows of a query, each value as text. */
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
    // A server that came up again has closed the connection.
    if ((await this.#connection)?.closed === true) this.#connection = undefined;
    const connection = await this.#open();
    connection.hold(true);
    try {
      return await connection.query(sql);
    } finally {
      // A test that is done ends, whether or not somebody closes its database.
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
    // Between two tests there may be any time.
    return (this.#connection ??= open(login, 0));
  }
}
