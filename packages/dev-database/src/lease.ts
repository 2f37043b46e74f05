import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { codeOf, DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";
import type { Paths } from "./paths.ts";
import { BUSY, isDatabaseName, onLines } from "./protocol.ts";
import type { Control, KeeperRequest, LeaseReply, LeaseRequest } from "./protocol.ts";

/** Lease on a project's database, which runs at least until the lease is released. */
export interface Lease {
  readonly url: string;
  release(): Promise<void>;
}

/** Maximum duration of a start in milliseconds. An initialization on a slow disk or a recovery after a crash takes long. */
const START_TIMEOUT_MS = 90_000;

/** Longest pause in milliseconds before the next attempt to renew a lost lease. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Duration in milliseconds after which a lease counts as stable. If a stable lease is lost, the first attempt to renew it starts without a
 * pause.
 */
const STABLE_LEASE_MS = 60_000;

/** Maximum size of a log file in bytes. A larger file is truncated. */
const LOG_BYTES = 1_000_000;

/** Function that fills an empty database, which then becomes a template. */
export type Prepare = (url: string) => Promise<void>;

/** Acquires a lease on the database of that name. Starts a keeper if none runs. */
export async function lease(paths: Paths, name: string): Promise<Lease> {
  checkName(name);
  return await holdLease(paths, await acquire(paths, { name }), { name });
}

/** Acquires a lease on a new copy of a template. Prepares the template first if it does not exist. */
export async function leaseCopy(paths: Paths, key: string, prepare: Prepare): Promise<Lease> {
  const first = await acquire(paths, { template: key }, { prepare });
  return await holdLease(paths, first, { name: new URL(first.url).pathname.slice(1), owned: true });
}

/**
 * Orders the keeper to start the server or reset the database. Returns the URL of the database. Holds a lease only until the order is
 * carried out.
 */
export async function sendControl(paths: Paths, control: Control, name: string): Promise<string> {
  checkName(name);
  const { socket, url } = await acquire(paths, { control, name });
  socket.destroy();
  return url;
}

/**
 * Stops the database if a keeper runs. Returns the number of its other users. If there are other users, the
 * database continues to run.
 */
export async function stop(paths: Paths, name: string): Promise<number> {
  const answer = await sendRequest(
    paths.socket,
    { control: "stop", name },
    Date.now() + START_TIMEOUT_MS,
    {},
  );
  return answer === undefined || "url" in answer ? 0 : answer.users;
}

function checkName(name: string): void {
  if (isDatabaseName(name)) return;
  throw new DevDatabaseError(
    `"${name}" cannot be the name of a database`,
    "Use lower-case letters, digits and _, at most 63 of them",
  );
}

/** Keeps a lease until it is released. If the connection to the keeper is lost, connects again with the request `again`. */
async function holdLease(paths: Paths, first: LeaseConnection, again: LeaseRequest): Promise<Lease> {
  let released = false;
  let socket = first.socket;
  let pause = 0;

  // The keeper has ended, and PostgreSQL may run without it or may have ended too. The next keeper handles both cases. Tries again
  // until this lease is released, because the reason of a failure may disappear.
  async function renew(): Promise<void> {
    for (let warned = false; ;) {
      // oxlint-disable-next-line no-await-in-loop -- the pauses grow with each failed attempt
      if (pause > 0) await sleep(pause, undefined, { ref: false });
      pause = Math.min(Math.max(250, 2 * pause), LONGEST_PAUSE_MS);
      if (released) return;
      try {
        // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
        const next = await acquire(paths, again, { background: true });
        // The caller has released the lease since.
        if (released) return void next.socket.destroy();
        socket = next.socket;
        if (next.url !== first.url) warn(moved(first.url, next.url));
        return watch();
      } catch (error) {
        if (!warned)
          warn(`the connection to the embedded database is lost; kit tries again: ${messageOf(error)}`);
        warned = true;
      }
    }
  }
  function watch(): void {
    const since = Date.now();
    socket.unref();
    const lost = (): void => {
      if (Date.now() - since > STABLE_LEASE_MS) pause = 0;
      void renew();
    };
    if (socket.closed) lost();
    else socket.once("close", lost);
  }
  watch();
  return {
    url: first.url,
    release: async () => {
      if (released) return;
      released = true;
      if (socket.destroyed) return;
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.ref();
      socket.destroy();
      await closed;
    },
  };
}

function warn(message: string): void {
  process.emitWarning(message, "DevDatabaseWarning");
}

function moved(from: string, to: string): string {
  const [before, now] = [new URL(from).port, new URL(to).port];
  const what =
    before === now
      ? "has another password now"
      : `now uses port ${now}, because another program uses port ${before}`;
  return `the embedded database ${what}: start this process again, or it cannot connect to the database`;
}

/** Connection to the keeper, which is the lease itself, and the URL of the database. */
interface LeaseConnection {
  readonly socket: Socket;
  readonly url: string;
}

/** Options of a request to the keeper. */
interface RequestOptions {
  /** True if the request must not keep the process alive. */
  readonly background?: boolean;
  /** Function that fills the template if the server has none with that key. */
  readonly prepare?: Prepare;
}

/** Sends a request to the keeper and waits for the URL in its response. Starts a keeper if none runs. */
async function acquire(
  paths: Paths,
  request: LeaseRequest,
  options: RequestOptions = {},
): Promise<LeaseConnection> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let keeper: Keeper | undefined;
  let kills = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    const answer = await sendRequest(paths.socket, request, deadline, options);
    if (answer !== undefined && "url" in answer) {
      keeper?.forget();
      return answer;
    }
    if (keeper === undefined || keeper.exitCode === BUSY || keeper.exitCode === 0) {
      keeper = new Keeper(paths);
    } else if (keeper.killed && kills < 3) {
      kills += 1;
      keeper = new Keeper(paths);
    } else if (keeper.exitCode !== undefined) {
      throw new DevDatabaseError(
        `the background process of the embedded database ended immediately (${keeper.end}):\n${tail(keeper.log)}`,
        USE_YOUR_OWN,
      );
    }
    if (Date.now() > deadline) {
      throw new DevDatabaseError(
        `the embedded database did not start within ${START_TIMEOUT_MS / 1000} s:\n${tail(keeper.log)}`,
        USE_YOUR_OWN,
      );
    }
    // oxlint-disable-next-line no-await-in-loop -- waits before the next attempt
    await sleep(20, undefined, { ref: options.background !== true });
  }
}

/** Sends a request to the keeper once. Returns `undefined` if no keeper runs, or if it closes the connection without a response. */
function sendRequest(
  path: string,
  request: LeaseRequest,
  deadline: number,
  { background = false, prepare }: RequestOptions,
): Promise<LeaseConnection | { users: number } | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    if (background) socket.unref();
    const timer = setTimeout(() => socket.destroy(), Math.max(1, deadline - Date.now()));
    if (background) timer.unref();
    socket.on("error", (error) => {
      // No keeper runs any more. Any other error would occur again at the next attempt.
      if (["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(codeOf(error) ?? "")) return;
      reject(
        new DevDatabaseError(
          `cannot connect to the background process of the embedded database: ${error.message}`,
        ),
      );
    });
    const closed = (): void => {
      clearTimeout(timer);
      resolve(undefined);
    };
    const refuse = (error: unknown): void => {
      socket.destroy();
      reject(error);
    };
    socket.once("close", closed);
    socket.once("connect", () => socket.write(`${JSON.stringify(request)}\n`));
    onLines(socket, (line) => {
      const reply = JSON.parse(line) as LeaseReply;
      if ("prepare" in reply) {
        // The preparation of a template may take any time.
        clearTimeout(timer);
        const prepared = prepare?.(reply.prepare) ?? Promise.resolve();
        prepared.then(() => socket.write(`${JSON.stringify({ prepared: true })}\n`), refuse);
        return;
      }
      clearTimeout(timer);
      if ("url" in reply) {
        socket.off("close", closed);
        resolve({ socket, url: reply.url });
      } else if ("users" in reply) {
        socket.destroy();
        resolve(reply);
      } else {
        refuse(new DevDatabaseError(reply.error, reply.hint));
      }
    });
  });
}

/** Keeper that this process has started. It continues to run when this process ends. */
class Keeper {
  readonly log: string;
  exitCode: number | undefined;
  /** True if a signal ended the keeper, so that another attempt may succeed. */
  killed = false;
  /** Exit code or signal of the keeper, for messages. */
  end = "";
  readonly #child: ChildProcess;

  constructor(paths: Paths) {
    this.log = join(paths.state, "keeper.log");
    const request: KeeperRequest = { paths, idleMs: idleMs() };
    const log = openLog(this.log);
    try {
      this.#child = spawn(
        process.execPath,
        ["--no-warnings", fileURLToPath(import.meta.resolve("#keeper")), JSON.stringify(request)],
        {
          detached: true,
          stdio: ["ignore", log, log],
          cwd: paths.state,
          env: environment(),
          windowsHide: true,
        },
      );
    } finally {
      closeSync(log);
    }
    this.#child.unref();
    this.#child.once("error", (error) => {
      this.exitCode = -1;
      this.end = error.message;
    });
    this.#child.once("exit", (code, signal) => {
      this.exitCode = code ?? -1;
      this.killed = signal !== null;
      this.end = `${signal ?? code}`;
    });
  }

  /** Removes the listeners. Called when the keeper has responded. */
  forget(): void {
    this.#child.removeAllListeners();
  }
}

/**
 * Returns the environment variables for the keeper. Leaves out the variables for a debugger, coverage or a
 * test runner, which are only for this process.
 */
function environment(): NodeJS.ProcessEnv {
  const {
    NODE_OPTIONS: _options,
    NODE_V8_COVERAGE: _coverage,
    NODE_TEST_CONTEXT: _test,
    ...rest
  } = process.env;
  return rest;
}

function idleMs(): number {
  const text = process.env["KIT_DATABASE_IDLE_MS"];
  if (text === undefined || text === "") return 2_000;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new DevDatabaseError(`KIT_DATABASE_IDLE_MS is "${text}", which is not a number of milliseconds`);
}

function openLog(path: string): number {
  let small = true;
  try {
    small = statSync(path).size < LOG_BYTES;
  } catch {
    // The log does not exist yet.
  }
  try {
    return openSync(path, small ? "a" : "w", 0o600);
  } catch (error) {
    throw new DevDatabaseError(
      `cannot write to the directory of the embedded database: ${messageOf(error)}`,
      `Set KIT_DATA_DIR to another directory. ${USE_YOUR_OWN}`,
    );
  }
}

/** Returns the last lines of a log for a message. */
function tail(path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-15).join("\n");
  } catch (error) {
    return messageOf(error);
  }
}
