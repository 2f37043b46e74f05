import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";
import { connect } from "node:net";
import type { Socket } from "node:net";

/**
 * Connection to PostgreSQL with the parts of its protocol that the keeper needs: login with SCRAM-SHA-256, and simple queries. A database
 * driver as a dependency could conflict with the driver of the project.
 */
export interface Connection {
  /** Runs a query and returns its rows, each value as a string. Only one query at a time. */
  query(sql: string): Promise<(string | null)[][]>;
  end(): void;
  /** Sets whether the connection keeps the process alive, which it does by default. */
  hold(on: boolean): void;
  /** True if the connection is known to be closed. */
  readonly closed: boolean;
}

/** Data that a connection needs: port, role, password and database. */
export interface Login {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Error that PostgreSQL reports for a query or login. */
export class PostgresError extends Error {
  /** SQLSTATE code. */
  readonly code: string;

  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

/**
 * Opens a connection to PostgreSQL on 127.0.0.1. The connection is closed if no data arrives for `timeoutMs`; 0 means no
 * timeout.
 */
export async function open(login: Login, timeoutMs = 60_000): Promise<Connection> {
  const socket = connect({ port: login.port, host: "127.0.0.1" });
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error("PostgreSQL does not answer")));
  const messages = read(socket);
  try {
    socket.write(startup({ user: login.user, database: login.database, application_name: "kit keeper" }));
    await authenticate(socket, messages, login.password);
    await results(messages);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    get closed() {
      return socket.destroyed || socket.readableEnded || !socket.writable;
    },
    query: (sql) => {
      socket.write(message("Q", Buffer.from(`${sql}\0`)));
      return results(messages);
    },
    hold: (on) => {
      if (on) socket.ref();
      else socket.unref();
    },
    end: () => {
      socket.write(message("X", Buffer.alloc(0)));
      // Closes the connection, because nobody reads from it any more and the end of the other side would not
      // be noticed.
      socket.destroySoon();
    },
  };
}

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

type Messages = AsyncGenerator<Message, void, undefined>;

async function* read(socket: Socket): Messages {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const size = 1 + rest.readInt32BE(1);
      if (rest.length < size) break;
      yield { type: String.fromCharCode(rest[0] ?? 0), body: rest.subarray(5, size) };
      rest = rest.subarray(size);
    }
  }
}

async function next(messages: Messages): Promise<Message> {
  const { value } = await messages.next();
  if (value === undefined) throw new Error("PostgreSQL closed the connection");
  if (value.type === "E") throw refusal(value.body);
  return value;
}

/**
 * Reads the rows of a query. If the query fails, first waits until the server is ready again, then throws the
 * error.
 */
async function results(messages: Messages): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  let error: PostgresError | undefined;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- messages come one after the other
    const { value } = await messages.next();
    if (value === undefined) throw error ?? new Error("PostgreSQL closed the connection");
    if (value.type === "D") rows.push(row(value.body));
    else if (value.type === "E") error = refusal(value.body);
    else if (value.type === "Z") {
      if (error !== undefined) throw error;
      return rows;
    }
  }
}

function row(body: Buffer): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 2;
  for (let count = body.readInt16BE(0); count > 0; count -= 1) {
    const size = body.readInt32BE(at);
    at += 4;
    values.push(size < 0 ? null : body.toString("utf8", at, at + Math.max(0, size)));
    at += Math.max(0, size);
  }
  return values;
}

function refusal(body: Buffer): PostgresError {
  const fields = new Map(
    body
      .toString("utf8")
      .split("\0")
      .map((field) => [field.charAt(0), field.slice(1)]),
  );
  return new PostgresError(fields.get("M") ?? "PostgreSQL refused", fields.get("C") ?? "XX000");
}

function startup(parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters).map(([key, value]) => `${key}\0${value}\0`);
  const body = Buffer.from(`${pairs.join("")}\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(196_608, 4); // version 3.0 of the protocol
  return Buffer.concat([head, body]);
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/**
 * Logs in with SCRAM-SHA-256 (RFC 7677). The server must prove that it knows the password too, so a login fails if another program has
 * taken the port of PostgreSQL.
 */
async function authenticate(socket: Socket, messages: Messages, password: string): Promise<void> {
  const offer = await next(messages);
  if (offer.type !== "R" || offer.body.readInt32BE(0) !== 10)
    throw new Error("PostgreSQL does not request a login with SCRAM");
  const nonce = randomBytes(18).toString("base64");
  const bare = `n=,r=${nonce}`;
  const first = Buffer.from(`n,,${bare}`);
  const size = Buffer.alloc(4);
  size.writeInt32BE(first.length);
  socket.write(message("p", Buffer.concat([Buffer.from("SCRAM-SHA-256\0"), size, first])));

  const challenge = (await next(messages)).body.toString("utf8", 4);
  const fields = new Map(challenge.split(",").map((field) => [field.charAt(0), field.slice(2)]));
  const combined = fields.get("r") ?? "";
  if (!combined.startsWith(nonce)) throw new Error("The response of PostgreSQL belongs to another login");
  const iterations = Number(fields.get("i"));
  const salted = pbkdf2Sync(password, Buffer.from(fields.get("s") ?? "", "base64"), iterations, 32, "sha256");
  const clientKey = hmac(salted, "Client Key");
  const withoutProof = `c=biws,r=${combined}`;
  const signed = `${bare},${challenge},${withoutProof}`;
  const signature = hmac(createHash("sha256").update(clientKey).digest(), signed);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  socket.write(message("p", Buffer.from(`${withoutProof},p=${proof.toString("base64")}`)));

  const final = (await next(messages)).body.toString("utf8", 4);
  const expected = hmac(hmac(salted, "Server Key"), signed);
  const given = Buffer.from(final.replace(/^v=/, ""), "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new Error("the server on this port does not accept the password of the embedded database");
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
