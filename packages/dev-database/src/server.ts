import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { findBinaries } from "./binaries.ts";
import type { Binaries } from "./binaries.ts";
import { forgetAfterReboot } from "./reboot.ts";
import { prepareCluster, USER } from "./cluster.ts";
import { Connections } from "./connections.ts";
import { DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";
import { homeOf } from "./home.ts";
import type { DataLocation } from "./home.ts";
import { note } from "./log.ts";
import type { Paths } from "./paths.ts";
import { choosePort } from "./ports.ts";
import { isAlive, isServerOf, readPostmaster } from "./process.ts";
import { open, PostgresError } from "./postgres-protocol.ts";
import type { Connection } from "./postgres-protocol.ts";

/** Maximum duration in milliseconds of each start, recovery and stop of the server. */
const TIMEOUT_MS = 60_000;

/** Time in milliseconds to wait for the port of a server that has run before, because its clients know only that port. */
const PORT_TIMEOUT_MS = 5_000;

/** Maximum number of times that the start is repeated because a signal ended the server before it was ready. */
const KILLS = 5;

/**
 * Messages of failures after which another attempt may succeed: another program took the port, or processes of a killed server have not
 * exited yet.
 */
const TRANSIENT_FAILURES = /could not bind|pre-existing shared memory|lock file "postmaster.pid"/;

const LOG_BYTES = 5_000_000;

/** Settings of a server whose data may be lost if the machine crashes. No write waits for the disk. */
const NOT_DURABLE: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
};

/** Reason why one attempt to start the server failed. */
interface Failure {
  /** Exit code, signal or error of the server's process, for messages. */
  readonly end: string;
  /** True if a signal ended the server, so that the cause is not the server itself. */
  readonly killed: boolean;
  /** Output that the attempt has written to the log. */
  readonly output: string;
}

/** PostgreSQL server of one data directory. This object has started it, or has taken it over from a keeper that was killed. */
export class Server {
  /** Called if the server stops although nobody called `stop`. */
  onCrash: (() => void) | undefined;
  readonly #state: string;
  readonly #durable: boolean;
  readonly #home: DataLocation;
  readonly #binaries: Binaries;
  readonly #log: string;
  #password = "";
  #port = 0;
  /** Process id of the server, which may still be starting. 0 if no server runs. */
  #pid = 0;
  /** True from the server's first response until it stops. */
  #up = false;
  /** Port that the server used last in this process, or 0. */
  #lastPort = 0;
  #stopping = false;
  #launched = false;
  #making: Promise<void> = Promise.resolve();
  readonly #connections = new Connections(() => this.#connect());

  constructor({ state, durable }: Paths) {
    this.#state = state;
    this.#durable = durable;
    this.#home = homeOf(state);
    this.#binaries = findBinaries(this.#home.account);
    this.#log = join(state, "postgres.log");
  }

  /** Starts the server, or starts it again after it has stopped. Resolves when the server responds. */
  async start(): Promise<void> {
    if (!this.#durable) forgetAfterReboot(this.#state, this.#home);
    this.#password = await prepareCluster(this.#home, this.#binaries);
    const deadline = Date.now() + TIMEOUT_MS;
    let kills = 0;
    let waitedFor: string | undefined;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (await this.#adopt(deadline)) return;
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      const failure = await this.#launch(deadline);
      if (failure === undefined) {
        this.#launched = true;
        return;
      }
      if (failure.killed) kills += 1;
      const passing = failure.killed ? kills <= KILLS : TRANSIENT_FAILURES.test(failure.output);
      if (!passing || Date.now() > deadline) throw this.#failed(failure.end, failure.output);
      const reason = failure.killed ? failure.end : (/FATAL: .*/.exec(failure.output)?.[0] ?? failure.end);
      // A reason that repeats is logged only once.
      if (failure.killed || reason !== waitedFor)
        note(`PostgreSQL did not start; kit tries again: ${reason}`);
      waitedFor = reason;
      // oxlint-disable-next-line no-await-in-loop -- waits before the next attempt
      await sleep(200);
    }
  }

  /** Returns the URL of a database. Creates the database if it does not exist. */
  async url(name: string): Promise<string> {
    // One call after the other, because two calls for a new name would both create the database.
    const made = this.#making.then(() => this.#make(name));
    this.#making = made.catch(() => undefined);
    await made;
    return this.urlOf(name);
  }

  async #make(name: string): Promise<void> {
    try {
      await this.admin(async (connection) => {
        // The name needs no quotes: it has been checked and contains only letters, digits and `_`.
        const found = await connection.query(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
        if (found.length === 0) await connection.query(`CREATE DATABASE "${name}"`);
      });
    } catch (error) {
      // Another program, which does not use the keeper, has created the database at the same time.
      const exists = error instanceof PostgresError && ["42P04", "23505"].includes(error.code);
      if (!exists) throw error;
    }
  }

  /** Calls a function with a connection to the database `postgres`. */
  admin<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#connections.use(work);
  }

  /** True if this object started the server, and false if it took over a server that was running. */
  get isNew(): boolean {
    return this.#launched;
  }

  /** Returns the URL of an existing database. */
  urlOf(name: string): string {
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.#port}/${name}`;
  }

  /** Stops the server, or interrupts its start. PostgreSQL closes all sessions and writes all data to the disk. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#connections.end();
    if (this.#pid === 0) return;
    // Tries a fast shutdown first. Then an immediate shutdown, after which the next start needs a recovery.
    // Then kills the process.
    for (const [signal, patience] of [
      ["SIGINT", 30_000],
      ["SIGQUIT", 5_000],
      ["SIGKILL", 5_000],
    ] as const) {
      if (!this.#signal(signal)) return;
      const deadline = Date.now() + patience;
      // oxlint-disable-next-line no-await-in-loop -- waits until the process has exited
      while (this.#runs() && Date.now() < deadline) await sleep(10);
      if (!this.#runs()) return;
      note(`PostgreSQL ${this.#pid} does not stop (${signal})`);
    }
  }

  #runs(): boolean {
    return this.#pid !== 0 && isServerOf(this.#pid, this.#home.cluster);
  }

  #signal(signal: NodeJS.Signals): boolean {
    if (!this.#runs()) return false;
    if (process.platform === "win32") {
      // Windows has no signals, so `pg_ctl` stops the server there.
      const mode = signal === "SIGINT" ? "fast" : "immediate";
      try {
        execFileSync(this.#binaries.pgCtl, ["stop", "-D", this.#home.cluster, "-m", mode]);
      } catch (error) {
        note(`pg_ctl stop -m ${mode} failed: ${messageOf(error)}`);
      }
      return true;
    }
    try {
      return process.kill(this.#pid, signal);
    } catch {
      return false;
    }
  }

  #connect(timeoutMs?: number): Promise<Connection> {
    return open({ port: this.#port, user: USER, password: this.#password, database: "postgres" }, timeoutMs);
  }

  async #answers(): Promise<boolean> {
    try {
      (await this.#connect(2_000)).end();
      return true;
    } catch {
      return false;
    }
  }

  /** Takes over a server that already runs with this data directory. Returns false if no server runs. */
  async #adopt(deadline: number): Promise<boolean> {
    for (;;) {
      this.#throwIfStopping();
      const found = readPostmaster(this.#home.cluster);
      if (found === undefined || !isServerOf(found.pid, this.#home.cluster)) {
        this.#pid = 0;
        // If another process has the id in `postmaster.pid`, PostgreSQL would believe that a server runs, so the file is
        // removed. PostgreSQL handles all other cases itself.
        if (found !== undefined && isAlive(found.pid)) {
          rmSync(join(this.#home.cluster, "postmaster.pid"), { force: true });
        }
        return false;
      }
      // From now on this keeper must stop the server, even if it is not ready yet.
      this.#pid = found.pid;
      this.#port = found.port;
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (found.port !== 0 && (await this.#answers())) {
        note(`took over PostgreSQL ${found.pid} on port ${found.port}`);
        this.#markRunning();
        this.#watch(found.pid);
        return true;
      }
      if (Date.now() > deadline) {
        throw this.#failed(
          `the PostgreSQL with the process number ${found.pid} uses the same data directory, but does not answer`,
        );
      }
      // oxlint-disable-next-line no-await-in-loop -- waits while the server starts or stops
      await sleep(100);
    }
  }

  /** Notices the end of a server that is not a child of this process. */
  #watch(pid: number): void {
    const timer = setInterval(() => {
      if (isServerOf(pid, this.#home.cluster)) return;
      clearInterval(timer);
      this.#markStopped();
    }, 250);
    timer.unref();
  }

  #markRunning(): void {
    this.#up = true;
    this.#lastPort = this.#port;
  }

  #markStopped(): void {
    const wasUp = this.#up;
    this.#pid = 0;
    this.#up = false;
    // A server that stops before it is ready is handled in `start`.
    if (wasUp && !this.#stopping) this.onCrash?.();
  }

  #throwIfStopping(): void {
    if (this.#stopping) throw new DevDatabaseError("the embedded database was stopped while it started");
  }

  /** Tries to start the server once. Returns the failure, or `undefined` on success. */
  async #launch(deadline: number): Promise<Failure | undefined> {
    this.#port = await this.#choosePort();
    this.#throwIfStopping();
    const log = this.#openLog();
    const from = statSync(this.#log).size;
    const settings: Readonly<Record<string, string>> = {
      ...(!this.#durable && NOT_DURABLE),
      listen_addresses: "127.0.0.1",
      port: String(this.#port),
      // Opens no Unix socket, because no client uses it and its path is limited to about a hundred bytes.
      unix_socket_directories: "",
      // Limits the memory, because a development machine runs many programs.
      max_connections: "50",
      shared_buffers: "32MB",
      // Makes `now()` in a column without time zone the time in UTC.
      timezone: "UTC",
      log_timezone: "UTC",
      // After a crash, one call replaces an fsync of each of about a thousand files.
      ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
    };
    const child = spawn(
      this.#binaries.postgres,
      [
        "-D",
        this.#home.cluster,
        ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      ],
      {
        stdio: ["ignore", log, log],
        cwd: this.#home.cluster,
        ...this.#home.account,
        env: { ...process.env, LC_ALL: "C" },
      },
    );
    closeSync(log);
    this.#pid = child.pid ?? 0;
    let failure: Omit<Failure, "output"> | undefined;
    child.once("error", (error) => (failure = { end: error.message, killed: false }));
    // Registered before any wait, because the process can be killed at any time.
    child.once("exit", (code, signal) => {
      failure ??= { end: `PostgreSQL ended (${signal ?? code})`, killed: signal !== null };
      this.#markStopped();
    });
    while (failure === undefined) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (!this.#stopping && this.#isReady(child.pid) && (await this.#answers()) && failure === undefined) {
        this.#markRunning();
        this.#rememberPort();
        note(`PostgreSQL ${this.#pid} answers on port ${this.#port}`);
        return undefined;
      }
      if (Date.now() > deadline) {
        child.kill("SIGKILL");
        failure = { end: "PostgreSQL does not answer", killed: false };
      }
      // oxlint-disable-next-line no-await-in-loop -- waits before the next attempt
      await sleep(15);
    }
    this.#throwIfStopping();
    return { ...failure, output: readFileSync(this.#log).subarray(from).toString("utf8").trim() };
  }

  /**
   * Returns true if `postmaster.pid` says that the server accepts connections. A connection before that would only add an error to its log.
   */
  #isReady(pid: number | undefined): boolean {
    const found = readPostmaster(this.#home.cluster);
    return found?.ready === true && found.pid === pid;
  }

  /**
   * Returns the port that the server used last if it is free, so that URLs and open connection pools are valid after a restart. Otherwise
   * returns another free port.
   */
  async #choosePort(): Promise<number> {
    let last = this.#lastPort;
    try {
      if (last === 0) last = Number(readFileSync(join(this.#state, "port"), "utf8"));
    } catch {
      // The server has never run before.
    }
    const port = await choosePort(last, this.#lastPort === 0 ? 0 : PORT_TIMEOUT_MS);
    if (port === undefined) throw this.#failed("no TCP port on 127.0.0.1 is free");
    return port;
  }

  #rememberPort(): void {
    writeFileSync(join(this.#state, "port"), String(this.#port));
  }

  #openLog(): number {
    let small = true;
    try {
      small = statSync(this.#log).size < LOG_BYTES;
    } catch {
      // The log does not exist yet.
    }
    return openSync(this.#log, small ? "a" : "w", 0o600);
  }

  #failed(reason: string, output = ""): DevDatabaseError {
    const hint = /no space left|free disk space/i.test(output)
      ? "The disk is full: free some space, then try again."
      : `The log is ${this.#log}. ${USE_YOUR_OWN}`;
    const said = [reason, ...output.split("\n").slice(-12)].join("\n").trim();
    return new DevDatabaseError(`the embedded database does not start: ${said}`, hint);
  }

  /** Port on which the server ran last, or 0 if it has never run. */
  get port(): number {
    return this.#lastPort;
  }
}
