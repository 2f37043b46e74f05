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

/** Maximum duration in milliseconds of a start, recovery or stop. */
const TIMEOUT_MS = 60_000;

/** Time in milliseconds to wait for the port of a server that has run before, because its clients know only that port. */
const PORT_TIMEOUT_MS = 5_000;

/** Maximum number of signals that end the server before it runs. After more, the start fails. */
const KILLS = 5;

/** Messages of failures that pass: another process took the port, or processes of a killed server have not exited yet. */
const TRANSIENT_FAILURES = /could not bind|pre-existing shared memory|lock file "postmaster.pid"/;

const LOG_BYTES = 5_000_000;

/** Settings for data that may be lost in a crash of the machine: no write waits for the disk. */
const NOT_DURABLE: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
};

/** Reason why one attempt to start the server failed. */
interface Failure {
  /** Exit code, signal or error for messages. */
  readonly end: string;
  /** True if a signal ended the server, so the server itself did not fail. */
  readonly killed: boolean;
  /** Output in the log. */
  readonly output: string;
}

/** PostgreSQL server of one data directory. It was started by this object, or by a keeper that was killed. */
export class Server {
  /** Called when the server stops without a call of `stop`. */
  onCrash: (() => void) | undefined;
  readonly #state: string;
  readonly #durable: boolean;
  readonly #home: DataLocation;
  readonly #binaries: Binaries;
  readonly #log: string;
  #password = "";
  #port = 0;
  /** Id of the process to stop. It may be starting. */
  #pid = 0;
  /** True if the server has responded and has not stopped since. */
  #up = false;
  /** Port on which the server ran last. */
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

  /** Starts the server, also after it has stopped. Returns when it responds. */
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
      // The reason may stay the same for many attempts, so it is logged once.
      if (failure.killed || reason !== waitedFor) note(`PostgreSQL did not start, trying again: ${reason}`);
      waitedFor = reason;
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
      await sleep(200);
    }
  }

  /** Returns the URL of a database. Creates the database if it does not exist. */
  async url(name: string): Promise<string> {
    // Runs the calls one after the other. Otherwise two calls for a new database would both create it.
    const made = this.#making.then(() => this.#make(name));
    this.#making = made.catch(() => undefined);
    await made;
    return this.urlOf(name);
  }

  async #make(name: string): Promise<void> {
    try {
      await this.admin(async (connection) => {
        // The name has been checked: it consists of letters, digits and `_`.
        const found = await connection.query(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
        if (found.length === 0) await connection.query(`CREATE DATABASE "${name}"`);
      });
    } catch (error) {
      // A program that is no client of the keeper created it at the same time.
      const exists = error instanceof PostgresError && ["42P04", "23505"].includes(error.code);
      if (!exists) throw error;
    }
  }

  /** Calls a function with a connection to the database `postgres`. */
  admin<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#connections.use(work);
  }

  /** True if this object started the server, false if it took over a running one. */
  get isNew(): boolean {
    return this.#launched;
  }

  /** Returns the URL of an existing database. */
  urlOf(name: string): string {
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.#port}/${name}`;
  }

  /** Stops the server, or its start. Closes the sessions and writes all data. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#connections.end();
    if (this.#pid === 0) return;
    // A fast shutdown first; then an immediate one, which requires a recovery at the next start; then by force.
    for (const [signal, patience] of [
      ["SIGINT", 30_000],
      ["SIGQUIT", 5_000],
      ["SIGKILL", 5_000],
    ] as const) {
      if (!this.#signal(signal)) return;
      const deadline = Date.now() + patience;
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
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
      // Windows has no signals; pg_ctl uses other means.
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

  /** Takes over a server that already runs on this data. Returns false if there is none. */
  async #adopt(deadline: number): Promise<boolean> {
    for (;;) {
      this.#throwIfStopping();
      const found = readPostmaster(this.#home.cluster);
      if (found === undefined || !isServerOf(found.pid, this.#home.cluster)) {
        this.#pid = 0;
        // PostgreSQL would take another process with this id for a running server. PostgreSQL itself handles all other cases.
        if (found !== undefined && isAlive(found.pid)) {
          rmSync(join(this.#home.cluster, "postmaster.pid"), { force: true });
        }
        return false;
      }
      // The server may not be ready, but from now on this keeper must stop it.
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
          `the PostgreSQL with the process number ${found.pid} runs on this data and does not answer`,
        );
      }
      // oxlint-disable-next-line no-await-in-loop -- it is starting or stopping
      await sleep(100);
    }
  }

  /** Watches a server that is not a child of this process. */
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
    // If the server stops before it is ready, `start` handles that.
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
      // The path of a socket is limited to about a hundred bytes, and no client uses a socket.
      unix_socket_directories: "",
      // A development machine runs many programs, so the memory is limited.
      max_connections: "50",
      shared_buffers: "32MB",
      // `now()` in a column without time zone is the time in UTC.
      timezone: "UTC",
      log_timezone: "UTC",
      // Replaces an fsync of each of a thousand files by one call after a crash.
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
    // Registered at once, because the process can be killed at any time, also while it responds.
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
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
      await sleep(15);
    }
    this.#throwIfStopping();
    return { ...failure, output: readFileSync(this.#log).subarray(from).toString("utf8").trim() };
  }

  /** Returns true if the server reports that it accepts connections. Earlier attempts to connect would only fill its log. */
  #isReady(pid: number | undefined): boolean {
    const found = readPostmaster(this.#home.cluster);
    return found?.ready === true && found.pid === pid;
  }

  /** Returns the last port if it is free, so that URLs and open pools are still valid after a restart. */
  async #choosePort(): Promise<number> {
    let last = this.#lastPort;
    try {
      if (last === 0) last = Number(readFileSync(join(this.#state, "port"), "utf8"));
    } catch {
      // The server has never run.
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
      ? "The disk is full: make room, then try again."
      : `The log is ${this.#log}. ${USE_YOUR_OWN}`;
    const said = [reason, ...output.split("\n").slice(-12)].join("\n").trim();
    return new DevDatabaseError(`the embedded database does not start: ${said}`, hint);
  }

  /** Port on which the server ran last, or 0 if it has never run. */
  get port(): number {
    return this.#lastPort;
  }
}
