/**
 * The keeper: a detached process that owns one project's PostgreSQL for as long as a client is connected to its socket.
 * Started by `lease.ts`, never by hand.
 *
 * A lock on a file decides who is the keeper. The system gives it back when the process ends, however it ends, so there
 * is no stale lock to guess about; only its holder touches the socket and the data.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { DevDatabaseError, messageOf } from "./errors.ts";
import { note } from "./log.ts";
import { BUSY, isDatabaseName, onLines } from "./protocol.ts";
import type { Control, KeeperRequest, LeaseReply, LeaseRequest, Prepared } from "./protocol.ts";
import { Server } from "./server.ts";
import { TestDatabases } from "./test-databases.ts";
import { WireError } from "./wire.ts";

/** A server that crashes more often than this within a minute is given up. */
const CRASHES = 5;

/** How long the first client may take to connect. */
const FIRST_LEASE_MS = 10_000;

/** How long a server that ended while a database was asked for may take to be there again. */
const RETURN_MS = 10_000;

const { places, idleMs } = JSON.parse(process.argv[2] ?? "") as KeeperRequest;

const lock = new DatabaseSync(places.lock);
try {
  lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
} catch (error) {
  if (/locked/.test(messageOf(error))) process.exit(BUSY);
  throw error;
}
note(`keeper ${process.pid} begins`);
// A log that cannot be written is no reason to leave PostgreSQL without a keeper; neither is a mistake in here.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
process.on("uncaughtException", (error) => {
  note(`keeper ${process.pid} fails: ${error.stack ?? messageOf(error)}`);
  void end(1);
});

const leases = new Set<Socket>();
const crashes: number[] = [];
let server: Server | undefined;
let idle: NodeJS.Timeout | undefined;
let ending = false;
/** `kit db start`: it stays without a lease. */
let pinned = false;
const tests = new TestDatabases(() => up);
let up = begin();

const listener = createServer((socket) => {
  // A client that is late sees its connection end without an answer, and starts the next keeper.
  if (ending) return void socket.destroy();
  leases.add(socket);
  clearTimeout(idle);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    leases.delete(socket);
    if (!ending) tests.left(socket);
    if (leases.size === 0) rest(idleMs);
  });
  onLines(socket, (line) => void reply(socket, line));
});
if (process.platform !== "win32") rmSync(places.socket, { force: true });
listener.on("error", (error) => {
  note(`the socket fails: ${messageOf(error)}`);
  void end(1);
});
listener.listen(places.socket);
rest(Math.max(idleMs, FIRST_LEASE_MS));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end(0));

/** Brings PostgreSQL up. What does not start now may start for the next keeper, once the reason is gone. */
function begin(): Promise<Server> {
  const starting = start();
  starting.catch((error: unknown) => {
    if (ending) return;
    note(messageOf(error));
    // Who waits for the answer is told first.
    setTimeout(() => void end(1), 100);
  });
  return starting;
}

async function start(): Promise<Server> {
  server ??= new Server(places);
  server.onCrash = crashed;
  await server.start();
  // What was left behind has no owner any more; it is in nobody's way meanwhile.
  if (server.isNew) void tests.tidy(server);
  return server;
}

async function reply(socket: Socket, line: string): Promise<void> {
  let answer: LeaseReply;
  try {
    answer = await answerTo(socket, JSON.parse(line) as LeaseRequest | Prepared);
  } catch (error) {
    const hint = error instanceof DevDatabaseError ? error.hint : undefined;
    // The hint is part of a DevDatabaseError's message already; the client adds it again.
    const text = hint === undefined ? messageOf(error) : messageOf(error).slice(0, -hint.length - 1);
    note(`no database for a client: ${text}`);
    answer = hint === undefined ? { error: text } : { error: text, hint };
  }
  if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
}

async function answerTo(socket: Socket, request: LeaseRequest | Prepared): Promise<LeaseReply> {
  if ("prepared" in request) return tests.prepared(socket);
  if ("template" in request) return tests.open(socket, request.template);
  const { name } = request;
  if (!isDatabaseName(name)) throw new Error(`"${name}" cannot be the name of a database`);
  if ("control" in request) return control(socket, request.control, name);
  if (request.owned === true) tests.claim(socket, name);
  return { url: await urlOf(name) };
}

async function control(socket: Socket, what: Control, name: string): Promise<LeaseReply> {
  switch (what) {
    case "start":
      pinned = true;
      return { url: await urlOf(name) };
    case "reset": {
      const current = await up;
      await current.admin((connection) => connection.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
      return { url: await urlOf(name) };
    }
    case "stop": {
      pinned = false;
      const others = leases.size - 1;
      const users = others > 0 ? others : await sessions();
      if (users === 0) {
        // Answered once it is down.
        leases.delete(socket);
        await end(0, () => new Promise((done) => socket.end(`${JSON.stringify({ users })}\n`, done)));
      }
      return { users };
    }
  }
}

/** How many sessions there are that are not the keeper's own. */
async function sessions(): Promise<number> {
  const current = await up;
  const rows = await current.admin((connection) =>
    connection.query(
      "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'kit keeper'",
    ),
  );
  return Number(rows[0]?.[0]);
}

/** The URL of a database. A server that has just ended is tried again: it is about to come up. */
async function urlOf(name: string): Promise<string> {
  const deadline = Date.now() + RETURN_MS;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    const current = await up;
    try {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      return await current.url(name);
    } catch (error) {
      // Class 57P: it is shutting down, starting or recovering.
      const passing = !(error instanceof WireError) || error.code.startsWith("57P");
      if (!passing || Date.now() > deadline) throw error;
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
      await sleep(100);
    }
  }
}

/** PostgreSQL was killed, or fell: up again, on the same port, where pools find it. */
function crashed(): void {
  if (ending) return;
  const now = Date.now();
  crashes.push(now);
  const recent = crashes.filter((at) => at > now - 60_000).length;
  note(`PostgreSQL ended by itself (${recent} within a minute)`);
  if (recent > CRASHES) {
    note("it ends too often: given up");
    return void end(1);
  }
  up = begin();
  void stayAt(server?.port);
}

/** A server that came up on another port is made known: its clients come again, and see where it is now. */
async function stayAt(before: number | undefined): Promise<void> {
  try {
    const { port } = await up;
    if (port === before) return;
    note(`port ${before} is taken: PostgreSQL moved to ${port}`);
    for (const socket of leases) socket.destroy();
  } catch {
    // It did not come up, which was said.
  }
}

function rest(milliseconds: number): void {
  clearTimeout(idle);
  idle = setTimeout(() => void retire(), milliseconds);
}

/** Ends, unless it is to stay or somebody is connected who holds no lease: psql, a tool with the URL. */
async function retire(): Promise<void> {
  if (pinned || leases.size > 0) return;
  let connected = 0;
  try {
    connected = await sessions();
  } catch {
    // It is not up, so nobody is.
  }
  if (leases.size > 0) return;
  if (connected > 0) return rest(Math.max(idleMs, 1_000));
  await end(0);
}

/** @param last - What to do once PostgreSQL is down, before this process is gone. */
async function end(code: number, last?: () => Promise<void>): Promise<void> {
  if (ending) return;
  ending = true;
  listener.close();
  for (const socket of leases) socket.destroy();
  // A start under way is cut short; what it started is stopped too.
  try {
    await Promise.all([server?.stop(), up.catch(() => undefined)]);
  } catch (error) {
    note(`PostgreSQL could not be stopped: ${messageOf(error)}`);
  }
  await last?.();
  note(`keeper ${process.pid} ends`);
  // Named here so that it lives until here: a collected handle gives the lock away.
  lock.close();
  process.exit(code);
}
