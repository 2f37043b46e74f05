/**
 * The keeper: a detached process that runs one project's PostgreSQL as long as a client is connected to its socket. `lease.ts` starts it.
 *
 * The process that holds the lock on a file is the keeper. The operating system releases the lock when the process ends for any reason, so
 * no lock stays behind. Only the holder of the lock uses the socket and the data.
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
import { PostgresError } from "./postgres-protocol.ts";

/** Maximum number of crashes of PostgreSQL within a minute. After more crashes, the keeper stops. */
const CRASHES = 5;

/** Time in milliseconds within which the first client must connect. */
const FIRST_LEASE_MS = 10_000;

/** Time in milliseconds within which PostgreSQL must run again if it stopped during a request for a database. */
const RETURN_MS = 10_000;

const { paths, idleMs } = JSON.parse(process.argv[2] ?? "") as KeeperRequest;

const lock = new DatabaseSync(paths.lock);
try {
  lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
} catch (error) {
  if (/locked/.test(messageOf(error))) process.exit(BUSY);
  throw error;
}
note(`keeper ${process.pid} begins`);
// The keeper continues if it cannot write its log, because PostgreSQL needs it. After an exception it stops PostgreSQL.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);
process.on("uncaughtException", (error) => {
  note(`keeper ${process.pid} fails: ${error.stack ?? messageOf(error)}`);
  void shutDown(1);
});

const leases = new Set<Socket>();
const crashes: number[] = [];
let server: Server | undefined;
let idle: NodeJS.Timeout | undefined;
let ending = false;
/** True after `kit db start`: the keeper runs without a lease. */
let staysWithoutLease = false;
const tests = new TestDatabases(() => up);
let up = startServer();

const listener = createServer((socket) => {
  // The client sees that the connection closes without a response. It then starts the next keeper.
  if (ending) return void socket.destroy();
  leases.add(socket);
  clearTimeout(idle);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    leases.delete(socket);
    if (!ending) tests.left(socket);
    if (leases.size === 0) startIdleTimer(idleMs);
  });
  onLines(socket, (line) => void reply(socket, line));
});
if (process.platform !== "win32") rmSync(paths.socket, { force: true });
listener.on("error", (error) => {
  note(`the socket failed: ${messageOf(error)}`);
  void shutDown(1);
});
listener.listen(paths.socket);
startIdleTimer(Math.max(idleMs, FIRST_LEASE_MS));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void shutDown(0));

/** Starts PostgreSQL. If that fails, the keeper exits. The next keeper tries again, because the problem may have been solved. */
function startServer(): Promise<Server> {
  const starting = start();
  starting.catch((error: unknown) => {
    if (ending) return;
    note(messageOf(error));
    // Waits a moment, so that clients get the error before the keeper exits.
    setTimeout(() => void shutDown(1), 100);
  });
  return starting;
}

async function start(): Promise<Server> {
  server ??= new Server(paths);
  server.onCrash = crashed;
  await server.start();
  // Drops databases that belong to no client, in the background, because clients need not wait for that.
  if (server.isNew) void tests.tidy(server);
  return server;
}

async function reply(socket: Socket, line: string): Promise<void> {
  let answer: LeaseReply;
  try {
    answer = await answerTo(socket, JSON.parse(line) as LeaseRequest | Prepared);
  } catch (error) {
    const hint = error instanceof DevDatabaseError ? error.hint : undefined;
    // The message of a DevDatabaseError ends with the hint, and the client adds the hint again.
    const text = hint === undefined ? messageOf(error) : messageOf(error).slice(0, -hint.length - 1);
    note(`cannot open a database for a client: ${text}`);
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
      staysWithoutLease = true;
      return { url: await urlOf(name) };
    case "reset": {
      const current = await up;
      await current.admin((connection) => connection.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
      return { url: await urlOf(name) };
    }
    case "stop": {
      staysWithoutLease = false;
      const others = leases.size - 1;
      const users = others > 0 ? others : await sessions();
      if (users === 0) {
        // This client gets its response only after PostgreSQL has stopped.
        leases.delete(socket);
        await shutDown(0, () => new Promise((done) => socket.end(`${JSON.stringify({ users })}\n`, done)));
      }
      return { users };
    }
  }
}

/** Returns the number of PostgreSQL sessions that other programs have opened. */
async function sessions(): Promise<number> {
  const current = await up;
  const rows = await current.admin((connection) =>
    connection.query(
      "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'kit keeper'",
    ),
  );
  return Number(rows[0]?.[0]);
}

/** Returns the URL of a database. If the server has just crashed, waits until it has restarted. */
async function urlOf(name: string): Promise<string> {
  const deadline = Date.now() + RETURN_MS;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    const current = await up;
    try {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      return await current.url(name);
    } catch (error) {
      // SQLSTATE class 57P means that the server is shutting down, starting or recovering.
      const passing = !(error instanceof PostgresError) || error.code.startsWith("57P");
      if (!passing || Date.now() > deadline) throw error;
      // oxlint-disable-next-line no-await-in-loop -- waits before the next attempt
      await sleep(100);
    }
  }
}

/** Restarts PostgreSQL after a crash, on the same port if possible, so that connection pools find it again. */
function crashed(): void {
  if (ending) return;
  const now = Date.now();
  crashes.push(now);
  const recent = crashes.filter((at) => at > now - 60_000).length;
  note(`PostgreSQL ended unexpectedly (crash ${recent} within a minute)`);
  if (recent > CRASHES) {
    note("PostgreSQL ended too often; kit does not start it again");
    return void shutDown(1);
  }
  up = startServer();
  void stayAt(server?.port);
}

/**
 * Closes all leases if PostgreSQL has another port than `before`. The clients then connect again and get the
 * new URL.
 */
async function stayAt(before: number | undefined): Promise<void> {
  try {
    const { port } = await up;
    if (port === before) return;
    note(`another program uses port ${before}; PostgreSQL now uses port ${port}`);
    for (const socket of leases) socket.destroy();
  } catch {
    // The restart failed, and `startServer` has logged the reason.
  }
}

function startIdleTimer(milliseconds: number): void {
  clearTimeout(idle);
  idle = setTimeout(() => void stopIfIdle(), milliseconds);
}

/**
 * Stops the keeper, unless a client has a lease, or `kit db start` was called, or a program without a lease, such as psql, is connected to
 * PostgreSQL.
 */
async function stopIfIdle(): Promise<void> {
  if (staysWithoutLease || leases.size > 0) return;
  let connected = 0;
  try {
    connected = await sessions();
  } catch {
    // PostgreSQL does not run, so no program is connected.
  }
  if (leases.size > 0) return;
  if (connected > 0) return startIdleTimer(Math.max(idleMs, 1_000));
  await shutDown(0);
}

/**
 * Stops PostgreSQL, then ends this process.
 * @param last - Called after PostgreSQL has stopped and before this process ends.
 */
async function shutDown(code: number, last?: () => Promise<void>): Promise<void> {
  if (ending) return;
  ending = true;
  listener.close();
  for (const socket of leases) socket.destroy();
  // Also interrupts a start that is in progress.
  try {
    await Promise.all([server?.stop(), up.catch(() => undefined)]);
  } catch (error) {
    note(`PostgreSQL could not be stopped: ${messageOf(error)}`);
  }
  await last?.();
  note(`keeper ${process.pid} ends`);
  // The lock is used until here, so that it is not garbage-collected earlier. That would release it.
  lock.close();
  process.exit(code);
}
