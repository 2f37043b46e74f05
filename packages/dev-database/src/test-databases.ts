import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";

import { messageOf } from "./errors.ts";
import { note } from "./log.ts";
import { isTemplateKey } from "./protocol.ts";
import type { LeaseReply } from "./protocol.ts";
import type { Server } from "./server.ts";
import { type Connection, WireError } from "./wire.ts";

/** Names begin so; what of it is found when a server starts is a leftover, but for templates. */
const TEST = "kit_test_";
const MAKING = "kit_making_";
const TEMPLATE = "kit_template_";

/**
 * How a template is copied: as files. Where nothing is synced, as on the server of tests, that takes a third of what `wal_log` does; where it
 * is, the checkpoints that it begins and ends with take far longer than the rest.
 */
const STRATEGY = "file_copy";

/** SQLSTATE of a database that has sessions. */
const OBJECT_IN_USE = "55006";

/** How many templates are kept: of this branch's migrations, and of those worked on last. */
const KEPT = 4;

/**
 * Databases of single tests, copied from templates. Only the keeper has one of this.
 *
 * A test's database belongs to the connection that asked for it, and is dropped when that ends, however it does.
 * A template is filled by the first client that wants it; the others wait.
 */
export class TestDatabases {
  readonly #server: () => Promise<Server>;
  readonly #owned = new Map<Socket, string>();
  /** The key that a client is preparing. */
  readonly #preparing = new Map<Socket, string>();
  /** By key; done when the client is. */
  readonly #pending = new Map<string, PromiseWithResolvers<void>>();

  constructor(server: () => Promise<Server>) {
    this.#server = server;
  }

  /** A copy of a template, or the order to fill it. */
  async open(socket: Socket, key: string): Promise<LeaseReply> {
    if (!isTemplateKey(key)) throw new Error(`"${key}" cannot be the key of a template`);
    const server = await this.#server();
    for (;;) {
      const pending = this.#pending.get(key);
      if (pending === undefined) break;
      // oxlint-disable-next-line no-await-in-loop -- whoever prepares it may fail, and another one begins
      await pending.promise;
    }
    // From here to the mark nothing is awaited, or two would prepare it.
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
      throw new Error("the client has gone");
    }
    this.#preparing.set(socket, key);
    return { prepare: server.urlOf(`${MAKING}${key}`) };
  }

  /** The client has filled its template. */
  async prepared(socket: Socket): Promise<LeaseReply> {
    const key = this.#preparing.get(socket);
    if (key === undefined) throw new Error("there is no template to prepare");
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

  /** A client's database is its own: one that it had of a keeper that was killed. */
  claim(socket: Socket, name: string): void {
    if (name.startsWith(TEST)) this.#owned.set(socket, name);
  }

  /** A client has gone. */
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

  /** Drops what earlier keepers left, and the templates that were made longest ago. */
  async tidy(server: Server): Promise<void> {
    try {
      const rows = await server.admin((connection) =>
        connection.query(
          `SELECT datname FROM pg_database WHERE datname ~ '^(${TEST}|${MAKING})' UNION ALL ` +
            `(SELECT datname FROM pg_database WHERE datname ~ '^${TEMPLATE}' ORDER BY oid DESC OFFSET ${KEPT})`,
        ),
      );
      const mine = new Set(this.#owned.values());
      await this.#drop(rows.map(([name]) => name ?? "").filter((name) => !mine.has(name)));
    } catch (error) {
      note(`leftovers of tests were not looked for: ${messageOf(error)}`);
    }
  }

  #over(key: string): void {
    this.#pending.get(key)?.resolve();
    this.#pending.delete(key);
  }

  async #copy(socket: Socket, server: Server, key: string): Promise<LeaseReply> {
    const name = `${TEST}${randomBytes(8).toString("hex")}`;
    await server.admin((connection) =>
      connection.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}${key} STRATEGY ${STRATEGY}`),
    );
    if (socket.destroyed) void this.#drop([name]);
    else this.#owned.set(socket, name);
    return { url: server.urlOf(name) };
  }

  async #drop(names: readonly string[]): Promise<void> {
    try {
      const server = await this.#server();
      await server.admin(async (connection) => {
        for (const name of names) {
          // oxlint-disable-next-line no-await-in-loop -- one connection, one query at a time
          await drop(connection, name);
        }
      });
    } catch (error) {
      // The next server drops it.
      note(`a test's database was not dropped: ${messageOf(error)}`);
    }
  }
}

/**
 * Drops a database when its sessions have left. One that a program has just closed may be there for a moment still, and would hear of its end as
 * of an error: PostgreSQL waits up to five seconds for it. Then whoever stays is put out.
 */
async function drop(connection: Connection, name: string): Promise<void> {
  try {
    await connection.query(`DROP DATABASE IF EXISTS ${name}`);
  } catch (error) {
    if (!(error instanceof WireError && error.code === OBJECT_IN_USE)) throw error;
    await connection.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}
