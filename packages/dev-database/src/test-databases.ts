import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";

import { messageOf } from "./errors.ts";
import { note } from "./log.ts";
import { isTemplateKey } from "./protocol.ts";
import type { LeaseReply } from "./protocol.ts";
import type { Server } from "./server.ts";
import { type Connection, PostgresError } from "./postgres-protocol.ts";

/**
 * Prefixes of the names of databases: of tests, of templates in preparation, and of templates. The first two kinds are dropped when a
 * server starts.
 */
const TEST = "kit_test_";
const MAKING = "kit_making_";
const TEMPLATE = "kit_template_";

/**
 * PostgreSQL's strategy to copy a template database. Without fsync, as on the server for tests, `file_copy`
 * takes a third of the time of `wal_log`. With fsync it would take far longer, because a copy then needs two
 * checkpoints.
 */
const STRATEGY = "file_copy";

/** SQLSTATE of the error if a database cannot be dropped because a program is connected to it. */
const OBJECT_IN_USE = "55006";

/**
 * Maximum number of templates on the server: one template for the migrations of the current branch, and some templates for recent
 * branches.
 */
const KEPT = 4;

/**
 * Databases of single tests, which are copies of templates. Only the keeper creates an instance.
 *
 * Databases for tests. Each database belongs to the connection that requested it, and is dropped when this connection closes for any
 * reason. The first client that needs a template fills it; other clients wait.
 */
export class TestDatabases {
  readonly #server: () => Promise<Server>;
  readonly #owned = new Map<Socket, string>();
  /** Keys of the templates that are being filled, by the connection of the client that fills them. */
  readonly #preparing = new Map<Socket, string>();
  /** Promises by the key of a template. Each is resolved when the client that fills the template has succeeded or failed. */
  readonly #pending = new Map<string, PromiseWithResolvers<void>>();

  constructor(server: () => Promise<Server>) {
    this.#server = server;
  }

  /** Returns the URL of a new copy of a template. If the template does not exist, returns an empty database that the client must fill. */
  async open(socket: Socket, key: string): Promise<LeaseReply> {
    if (!isTemplateKey(key)) throw new Error(`"${key}" cannot be the key of a template`);
    const server = await this.#server();
    for (;;) {
      const pending = this.#pending.get(key);
      if (pending === undefined) break;
      // oxlint-disable-next-line no-await-in-loop -- the client that fills the template may fail, then this one
      // fills it
      await pending.promise;
    }
    // There must be no `await` between the check and this entry. Otherwise two clients would fill the same
    // template.
    const mark = Promise.withResolvers<void>();
    this.#pending.set(key, mark);
    let found: boolean;
    try {
      found = await server.admin(async (connection) => {
        const rows = await connection.query(`SELECT FROM pg_database WHERE datname = '${TEMPLATE}${key}'`);
        if (rows.length > 0) return true;
        await connection.query(`DROP DATABASE IF EXISTS ${MAKING}${key} WITH (FORCE)`);
        await connection.query(`CREATE DATABASE ${MAKING}${key}`);
        return false;
      });
    } catch (error) {
      this.#over(key);
      throw error;
    }
    if (found) {
      this.#over(key);
      return this.#copy(socket, server, key);
    }
    if (socket.destroyed) {
      this.#over(key);
      throw new Error("the client has disconnected");
    }
    this.#preparing.set(socket, key);
    return { prepare: server.urlOf(`${MAKING}${key}`) };
  }

  /** Completes the template that this client has filled. Returns the URL of a new copy. */
  async prepared(socket: Socket): Promise<LeaseReply> {
    const key = this.#preparing.get(socket);
    if (key === undefined) throw new Error("this client has not received a template to fill");
    const server = await this.#server();
    await server.admin(async (connection) => {
      await connection.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${MAKING}${key}'`,
      );
      await connection.query(`ALTER DATABASE ${MAKING}${key} RENAME TO ${TEMPLATE}${key}`);
    });
    this.#preparing.delete(socket);
    this.#over(key);
    return this.#copy(socket, server, key);
  }

  /** Registers that a database belongs to a client. The client got it from an earlier keeper, which was killed. */
  claim(socket: Socket, name: string): void {
    if (name.startsWith(TEST)) this.#owned.set(socket, name);
  }

  /** Handles the end of a client's connection: drops its database, and lets another client fill its template. */
  left(socket: Socket): void {
    const key = this.#preparing.get(socket);
    if (key !== undefined) {
      this.#preparing.delete(socket);
      this.#over(key);
    }
    const name = this.#owned.get(socket);
    this.#owned.delete(socket);
    if (name !== undefined) void this.#drop([name]);
  }

  /** Drops the databases that earlier keepers have left, and the oldest templates. */
  async tidy(server: Server): Promise<void> {
    try {
      const rows = await server.admin((connection) =>
        connection.query(
          `SELECT datname FROM pg_database WHERE datname ~ '^(${TEST}|${MAKING})' UNION ALL ` +
            `(SELECT datname FROM pg_database WHERE datname ~ '^${TEMPLATE}' ORDER BY oid DESC OFFSET ${KEPT})`,
        ),
      );
      // A client may have received one of these databases since the server started.
      const mine = new Set(this.#owned.values());
      const names = rows.map(([name]) => name ?? "").filter((name) => !mine.has(name));
      await this.#drop(names.filter((name) => !name.startsWith(MAKING)));
      for (const name of names.filter((each) => each.startsWith(MAKING))) {
        // oxlint-disable-next-line no-await-in-loop -- a connection runs one query at a time
        await this.#dropUnfinished(name.slice(MAKING.length));
      }
    } catch (error) {
      note(`cannot search for databases of earlier tests: ${messageOf(error)}`);
    }
  }

  /** Drops a template that an earlier keeper has left, unless a client fills this template now. */
  async #dropUnfinished(key: string): Promise<void> {
    if (this.#pending.has(key)) return;
    // A client that needs the template waits until the database is dropped.
    this.#pending.set(key, Promise.withResolvers());
    await this.#drop([`${MAKING}${key}`]);
    this.#over(key);
  }

  #over(key: string): void {
    this.#pending.get(key)?.resolve();
    this.#pending.delete(key);
  }

  async #copy(socket: Socket, server: Server, key: string): Promise<LeaseReply> {
    const name = `${TEST}${randomBytes(8).toString("hex")}`;
    // The database has an owner before it exists, so that `tidy` does not drop it.
    this.#owned.set(socket, name);
    try {
      await server.admin((connection) =>
        connection.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}${key} STRATEGY ${STRATEGY}`),
      );
    } catch (error) {
      this.#owned.delete(socket);
      throw error;
    }
    // If the client has left in the meantime, `left` was called too early to drop the database.
    if (socket.destroyed) {
      this.#owned.delete(socket);
      void this.#drop([name]);
    }
    return { url: server.urlOf(name) };
  }

  async #drop(names: readonly string[]): Promise<void> {
    try {
      const server = await this.#server();
      await server.admin(async (connection) => {
        for (const name of names) {
          // oxlint-disable-next-line no-await-in-loop -- a connection runs one query at a time
          await drop(connection, name);
        }
      });
    } catch (error) {
      // The database is dropped when the server starts the next time.
      note(`cannot drop the database of a test: ${messageOf(error)}`);
    }
  }
}

/**
 * Drops a database after its sessions have ended, for which it waits up to five seconds: a session that a
 * program has just closed may exist for a short time, and its program would see a forced end as an error.
 * After the wait, the remaining sessions are terminated.
 */
async function drop(connection: Connection, name: string): Promise<void> {
  try {
    await connection.query(`DROP DATABASE IF EXISTS ${name}`);
  } catch (error) {
    if (!(error instanceof PostgresError && error.code === OBJECT_IN_USE)) throw error;
    await connection.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}
