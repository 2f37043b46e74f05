import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import type { CloseOptions, ListenAddress, ListenOptions, ServerAdapter, SupervisorLog } from "@kit/types";

import { entryModule } from "./plan.ts";
import { WorkerSlot, type WorkerStatus } from "./worker-slot.ts";

/** Handle that `getNativeServer` returns in the primary process, which supervises the workers. */
export interface NativeWorkersHandle {
  /** Address that the workers listen on. */
  readonly address: ListenAddress;
  /** Returns the current status of each worker. */
  workers(): readonly WorkerStatus[];
}

/**
 * Time after the grace period in which workers stop plugins and exit, in milliseconds. Workers that take
 * longer are killed.
 */
const endMs = 10_000;

/** Port that is reserved for the workers. */
export interface ReservedPort {
  readonly address: ListenAddress;
  /** Releases the port. */
  release(): void;
}

/** Reserves a port. Rejects with the same errors as `listen`. */
export type Reserve = (options: ListenOptions) => Promise<ReservedPort>;

/** Time that this process waits for its own signal after a signal has ended a worker that was starting, in milliseconds. */
const groupSignalMs = 100;

let isSupervising = false;

/** Server in the primary process. It starts and supervises the workers, and serves no requests itself. */
export class PrimaryServer implements ServerAdapter {
  readonly name: string;
  readonly platform: string;
  readonly #count: number;
  readonly #reserve: Reserve;
  /** Tells core that the workers support TLS. They read the files themselves. */
  declare readonly reloadTls?: () => void;
  declare readonly hasHttp2?: boolean;
  declare readonly listenPlain?: NonNullable<ServerAdapter["listenPlain"]>;
  #running: Workers | undefined;

  constructor(server: ServerAdapter, count: number, reserve: Reserve) {
    const { name, platform } = server;
    if (server.hasHttp2 !== undefined) this.hasHttp2 = server.hasHttp2;
    if (server.reloadTls !== undefined) this.reloadTls = () => this.#passHangup();
    // This process serves no requests of the application, but has time for redirects.
    if (server.listenPlain !== undefined)
      this.listenPlain = (service, options) => server.listenPlain!(service, options);
    this.name = name;
    this.platform = platform;
    this.#count = count;
    this.#reserve = reserve;
  }

  async supervise(options: ListenOptions, log: SupervisorLog): Promise<ListenAddress> {
    if (options.path !== undefined) {
      throw new Error(
        `Cannot listen on ${options.path} with ${this.#count} workers: processes cannot share a Unix socket. ` +
          "Listen on a port, or leave `workers` out",
      );
    }
    if (isSupervising) {
      throw new Error(
        "Another application of this process has workers. Each worker runs the whole program, so only one application of a program can have workers; " +
          "move the other application to a separate program, or set `workers: 1` for it",
      );
    }
    const entry = entryModule();
    isSupervising = true;
    try {
      const running = new Workers(entry, this.#count, await this.#reserve(options), log);
      this.#running = running;
      if (options.tls !== undefined) process.on("SIGHUP", this.#passHangup);
      // `close` may clear `#running` before `start` resolves.
      await running.start();
      return running.address;
    } catch (error) {
      await this.#running?.close({ graceMs: 0 }).catch(() => {});
      this.#running = undefined;
      process.off("SIGHUP", this.#passHangup);
      isSupervising = false;
      throw error;
    }
  }

  listen(): Promise<never> {
    return Promise.reject(
      new Error("Call `listen` of the application, not of the server, to start a server with workers"),
    );
  }

  async close(options: CloseOptions): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    try {
      await running.close(options);
    } finally {
      process.off("SIGHUP", this.#passHangup);
      isSupervising = false;
    }
  }

  /** Lets the workers read the files of TLS again. */
  readonly #passHangup = (): void => {
    for (const { pid } of this.#running?.workers() ?? []) {
      try {
        if (pid !== undefined) process.kill(pid, "SIGHUP");
      } catch {
        // The worker has just ended. The next one reads the files when it starts.
      }
    }
  };

  getNativeServer(): NativeWorkersHandle | undefined {
    return this.#running;
  }
}

/** The workers of a listening server, until it is closed. */
class Workers implements NativeWorkersHandle {
  readonly address: ListenAddress;
  readonly #slots: readonly WorkerSlot[];
  readonly #reserved: ReservedPort;
  #isClosing = false;

  constructor(entry: string, count: number, reserved: ReservedPort, log: SupervisorLog) {
    this.address = reserved.address;
    this.#reserved = reserved;
    const { host, port } = reserved.address;
    const group = randomUUID();
    this.#slots = Array.from({ length: count }, (_, index) => {
      const plan = { worker: index + 1, primary: process.pid, group, host, port };
      return new WorkerSlot(entry, plan, log);
    });
    process.on("exit", this.#onExit);
  }

  workers(): readonly WorkerStatus[] {
    return this.#slots.map((slot) => slot.status());
  }

  /**
   * Starts the first worker, and then the other workers. A problem that prevents the start of one worker usually prevents the start of
   * all workers, and must be reported only once.
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    try {
      await first!.start();
      if (this.#isClosing) return;
      await Promise.all(others.map((slot) => slot.start()));
    } catch (error) {
      // Ctrl-C sends SIGINT to the whole process group. The end of a worker may be noticed before the signal of this process.
      if (this.#slots.some((slot) => slot.endedBySignal())) await sleep(groupSignalMs);
      // A worker that receives `close` during its start exits before it listens.
      if (this.#isClosing) return;
      throw error;
    }
    if (!this.#isClosing) for (const slot of this.#slots) slot.enableRestarts();
  }

  async close(options: CloseOptions): Promise<void> {
    this.#isClosing = true;
    const killMs = (options.delayMs ?? 0) + options.graceMs + endMs;
    const ends = await Promise.allSettled(this.#slots.map((slot) => slot.close(options, killMs)));
    process.off("exit", this.#onExit);
    this.#reserved.release();
    const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as Error] : []));
    if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("; "));
  }

  /**
   * Kills the workers if this process exits during `close`, for example after a second signal. If this
   * process exits without `close`, the workers notice that the channel is disconnected, finish their
   * requests, and exit by themselves.
   */
  readonly #onExit = (): void => {
    if (this.#isClosing) for (const slot of this.#slots) slot.kill();
  };
}
