import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { findBinaries } from "./binaries.ts";
import type { Binaries } from "./binaries.ts";
import { prepareCluster, USER } from "./cluster.ts";
import { DevDatabaseError, USE_YOUR_OWN } from "./errors.ts";
import { homeOf } from "./home.ts";
import type { Home } from "./home.ts";
import { isAlive, isServerOf, readPostmaster } from "./process.ts";
import { open } from "./wire.ts";
import type { Connection } from "./wire.ts";

/** How long a server that is starting, recovering or stopping may take. */
const PATIENCE_MS = 60_000;

const LOG_BYTES = 5_000_000;

/** The PostgreSQL of one data directory: started, or taken over from a keeper that was killed. */
export class Server {
  /** Calls back when it ends without being told to. */
  onCrash: (() => void) | undefined;
  readonly #state: string;
  readonly #home: Home;
  readonly #binaries: Binaries;
  readonly #log: string;
  #password = "";
  #port = 0;
  #pid = 0;
  #stopping = false;
  #making: Promise<void> = Promise.resolve();

  constructor(state: string) {
    this.#state = state;
    this.#home = homeOf(state);
    this.#binaries = findBinaries(this.#home.account);
    this.#log = join(state, "postgres.log");
  }

  /** Brings it up and returns once it answers. */
  async start(): Promise<void> {
    this.#password = await prepareCluster(this.#home, this.#binaries);
    if (await this.#adopt()) return;
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      const failure = await this.#launch(deadline);
      if (failure === undefined) return;
      // Someone took the port in between; or processes of a killed server are about to notice that it is gone.
      const passing = /could not bind|pre-existing shared memory|lock file "postmaster.pid"/.test(failure);
      if (!passing || Date.now() > deadline) throw this.#failed(failure);
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
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.#port}/${name}`;
  }

  async #make(name: string): Promise<void> {
    const connection = await this.#connect();
    try {
      // The name was checked to hold nothing but letters, digits and `_`.
      const found = await connection.query(`SELECT 1 FROM pg_database WHERE datname = '${name}'`);
      if (found.length === 0) await connection.query(`CREATE DATABASE "${name}"`);
    } finally {
      connection.end();
    }
  }

  /** Stops it: sessions are ended, everything is written. */
  async stop(): Promise<void> {
    this.#stopping = true;
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
    }
  }

  #runs(): boolean {
    return isServerOf(this.#pid, this.#home.cluster);
  }

  #signal(signal: NodeJS.Signals): boolean {
    if (!this.#runs()) return false;
    if (process.platform === "win32") {
      // There are no signals; pg_ctl speaks to the server by other means.
      execFileSync(this.#binaries.pgCtl, [
        "stop",
        "-D",
        this.#home.cluster,
        "-m",
        signal === "SIGINT" ? "fast" : "immediate",
      ]);
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
  async #adopt(): Promise<boolean> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = readPostmaster(this.#home.cluster);
      if (found === undefined) return false;
      if (!isServerOf(found.pid, this.#home.cluster)) {
        // Its number belongs to nobody, or to someone else, whom PostgreSQL would take for itself.
        rmSync(join(this.#home.cluster, "postmaster.pid"), { force: true });
        return false;
      }
      this.#port = found.port;
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (found.port !== 0 && (await this.#answers())) {
        this.#pid = found.pid;
        console.log(`took over PostgreSQL ${found.pid} on port ${found.port}`);
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

  #ended(): void {
    this.#pid = 0;
    if (!this.#stopping) this.onCrash?.();
  }

  /** One try to start it: nothing, or what it said before it ended. */
  async #launch(deadline: number): Promise<string | undefined> {
    this.#port = await this.#choosePort();
    const log = this.#openLog();
    const from = statSync(this.#log).size;
    const settings: Readonly<Record<string, string>> = {
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
    let ended: string | undefined;
    child.once("error", (error) => (ended = error.message));
    child.once("exit", (code, signal) => (ended ??= `PostgreSQL ended (${signal ?? code})`));
    for (let pause = 15; ended === undefined; pause = Math.min(2 * pause, 200)) {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      if (await this.#answers()) {
        this.#pid = child.pid ?? 0;
        child.once("exit", () => this.#ended());
        this.#rememberPort();
        console.log(`PostgreSQL ${this.#pid} answers on port ${this.#port}`);
        return undefined;
      }
      if (Date.now() > deadline) {
        child.kill("SIGKILL");
        ended = "PostgreSQL does not answer";
      }
      // Ever less often: a recovery may take a while, and each try is two lines in the log.
      // oxlint-disable-next-line no-await-in-loop -- waiting is the point
      await sleep(pause);
    }
    return `${ended}\n${readFileSync(this.#log).subarray(from).toString("utf8").trim()}`;
  }

  /** The port of last time where it is free, so that URLs and open pools stay right after a restart. */
  async #choosePort(): Promise<number> {
    let last = 0;
    try {
      last = Number(readFileSync(join(this.#state, "port"), "utf8"));
    } catch {
      // It never ran.
    }
    if (Number.isInteger(last) && last > 0 && last < 65_536 && (await freePort(last)) === last) return last;
    const port = await freePort(0);
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

  #failed(reason: string): DevDatabaseError {
    const lines = reason.trim().split("\n");
    const hint = /no space left|free disk space/i.test(reason)
      ? "The disk is full: make room, then try again."
      : `The log is ${this.#log}. ${USE_YOUR_OWN}`;
    return new DevDatabaseError(`the embedded database does not start: ${lines.slice(-12).join("\n")}`, hint);
  }

  /** Whether the process is still there, for the keeper's own checks. */
  get running(): boolean {
    return this.#pid !== 0 && isAlive(this.#pid);
  }
}

function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
