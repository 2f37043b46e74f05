import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { findBinaries } from "./binaries.ts";
import type { Binaries } from "./binaries.ts";
import { forgetAfterReboot } from "./boot.ts";
import { prepareCluster, USER } from "./cluster.ts";
import { Connections } from "./connections.ts";
import { DevDatabaseError, messageOf, USE_YOUR_OWN } from "./errors.ts";
import { homeOf } from "./home.ts";
import type { Home } from "./home.ts";
import { note } from "./log.ts";
import type { Places } from "./places.ts";
import { choosePort } from "./ports.ts";
import { isAlive, isServerOf, readPostmaster } from "./process.ts";
import { open, WireError } from "./wire.ts";
import type { Connection } from "./wire.ts";

/** How long a server that is starting, recovering or stopping may take. */
const PATIENCE_MS = 60_000;

/** How long a server that was up before waits for its port: whoever uses it knows no other. */
const PORT_PATIENCE_MS = 5_000;

/** A server that is killed more often than this before it is up is given up. */
const KILLS = 5;

/** Someone took the port in between; or processes of a killed server are about to notice that it is gone. */
const PASSING = /could not bind|pre-existing shared memory|lock file "postmaster.pid"/;

const LOG_BYTES = 5_000_000;

/** For data that may be lost when the machine stops: nothing waits for the disk. */
const NOT_DURABLE: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
};

/** Why one try to start it did not work. */
interface Failure {
  /** How it ended. */
  readonly end: string;
  /** By a signal: somebody's doing, not its own. */
  readonly killed: boolean;
  /** What it wrote to its log. */
  readonly output: string;
}

/** The PostgreSQL of one data directory: started, or taken over from a keeper that was killed. */
export class Server {
  /** Calls back when it ends without being told to. */
  onCrash: (() => void) | undefined;
  readonly #state: string;
  readonly #durable: boolean;
  readonly #home: Home;
  readonly #binaries: Binaries;
  readonly #log: string;
  #password = "";
  #port = 0;
  /** The process to stop: it may be starting still. */
  #pid = 0;
  /** It answered, and has not ended since. */
  #up = false;
  /** The port it was last up on. */
  #served = 0;
  #stopping = false;
  #launched = false;
  #making: Promise<void> = Promise.resolve();
  readonly #connections = new Connections(() => this.#connect());

  constructor({ state, durable }: Places) {
    this.#state = state;
    this.#durable = durable;
    this.#home = homeOf(state);
    this.#binaries = findBinaries(this.#home.account);
    this.#log = join(state, "postgres.log");
  }

  /** Brings it up and returns once it answers; after it ended, again. */
  async start(): Promise<void> {
    if (!this.#durable) forgetAfterReboot(this.#state, this.#home);
    this.#password = await prepareCluster(this.#home, this.#binaries);
    const deadline = Date.now() + PATIENCE_MS;
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
      const passing = failure.killed ? kills <= KILLS : PASSING.test(failure.output);
      if (!passing || Date.now() > deadline) throw this.#failed(failure.end, failure.output);
      const reason = failure.killed ? failure.end : (/FATAL: .*/.exec(failure.output)?.[0] ?? failure.end);
      // It may be the same for a while, many times a second.
      if (failure.killed || reason !== waitedFor) note(`PostgreSQL did not start, trying again: ${reason}`);
      waitedFor = reason;
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
      await sleep(200);
    }
  }

  /** The URL of a database, which is made where it is missing. */
  async url(name: string): Promise<string> {
    // One after the other, or two who ask for a new one would both make it.
    const made = this.#making.then(() => this.#make(name));
    this.#making = made.catch(() => undefined);
    await made;
    return this.urlOf(name);
  }

  async #make(name: string): Promise<void> {
    try {
      await this.admin(async (connection) => {
        // The name was checked to hold nothing but letters, digits and `_`.
        const found = await connection.query(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
        if (found.length === 0) await connection.query(`CREATE DATABASE "${name}"`);
      });
    } catch (error) {
      // Someone who is no client of the keeper made it at the same time.
      const exists = error instanceof WireError && ["42P04", "23505"].includes(error.code);
      if (!exists) throw error;
    }
  }

  /** Does something with a connection to the server's own database. */
  admin<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#connections.use(work);
  }

  /** Whether this object started it, or took over one that ran. */
  get isNew(): boolean {
    return this.#launched;
  }

  /** The URL of a database that is there. */
  urlOf(name: string): string {
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.#port}/${name}`;
  }

  /** Stops it, or its start: sessions are ended, everything is written. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#connections.end();
    if (this.#pid === 0) return;
    // Fast shutdown; then at once, which costs a recovery at the next start; then by force.
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
      // There are no signals; pg_ctl speaks to the server by other means.
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

  /** Takes over a server that is running on this data already. */
  async #adopt(deadline: number): Promise<boolean> {
    for (;;) {
      this.#goOn();
      const found = readPostmaster(this.#home.cluster);
      if (found === undefined || !isServerOf(found.pid, this.#home.cluster)) {
        this.#pid = 0;
        // Where its number belongs to someone else, PostgreSQL would take that one for itself. All else it knows better.
        if (found !== undefined && isAlive(found.pid)) {
          rmSync(join(this.#home.cluster, "postmaster.pid"), { force: true });
        }
        return false;
      }
      // Not up yet, but from here on this keeper's to stop.
      this.#pid = found.pid;
      this.#port = found.port;
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (found.port !== 0 && (await this.#answers())) {
        note(`took over PostgreSQL ${found.pid} on port ${found.port}`);
        this.#begun();
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
      this.#ended();
    }, 250);
    timer.unref();
  }

  #begun(): void {
    this.#up = true;
    this.#served = this.#port;
  }

  #ended(): void {
    const wasUp = this.#up;
    this.#pid = 0;
    this.#up = false;
    // One that ends before it is up is the start's to judge.
    if (wasUp && !this.#stopping) this.onCrash?.();
  }

  #goOn(): void {
    if (this.#stopping) throw new DevDatabaseError("the embedded database was stopped while it started");
  }

  /** One try to start it: nothing, or why it did not work. */
  async #launch(deadline: number): Promise<Failure | undefined> {
    this.#port = await this.#choosePort();
    this.#goOn();
    const log = this.#openLog();
    const from = statSync(this.#log).size;
    const settings: Readonly<Record<string, string>> = {
      ...(!this.#durable && NOT_DURABLE),
      listen_addresses: "127.0.0.1",
      port: String(this.#port),
      // A socket's path may have about a hundred bytes only, and nobody needs one.
      unix_socket_directories: "",
      // A development machine runs many things.
      max_connections: "50",
      shared_buffers: "32MB",
      // `now()` in a column without time zone is then UTC everywhere.
      timezone: "UTC",
      log_timezone: "UTC",
      // One call after a crash instead of one for each of a thousand files.
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
    // From the first moment on: it can be killed at any time, also while an answer of one of its processes is on its way.
    child.once("exit", (code, signal) => {
      failure ??= { end: `PostgreSQL ended (${signal ?? code})`, killed: signal !== null };
      this.#ended();
    });
    while (failure === undefined) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (!this.#stopping && this.#isReady(child.pid) && (await this.#answers()) && failure === undefined) {
        this.#begun();
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
    this.#goOn();
    return { ...failure, output: readFileSync(this.#log).subarray(from).toString("utf8").trim() };
  }

  /** Whether it says that it takes connections: asking it sooner only fills its log. */
  #isReady(pid: number | undefined): boolean {
    const found = readPostmaster(this.#home.cluster);
    return found?.ready === true && found.pid === pid;
  }

  /** The port of last time where it is free, so that URLs and open pools stay right after a restart. */
  async #choosePort(): Promise<number> {
    let last = this.#served;
    try {
      if (last === 0) last = Number(readFileSync(join(this.#state, "port"), "utf8"));
    } catch {
      // It never ran.
    }
    const port = await choosePort(last, this.#served === 0 ? 0 : PORT_PATIENCE_MS);
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
      // There is none yet.
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

  /** The port it was last up on; 0 where it never was. */
  get port(): number {
    return this.#served;
  }
}
