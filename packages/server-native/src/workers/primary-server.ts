import { randomUUID } from "node:crypto";

import type { CloseOptions, ListenAddress, ListenOptions, ServerAdapter, SupervisorLog } from "@kit/types";

import { entryModule } from "./plan.ts";
import { WorkerSlot, type WorkerStatus } from "./worker-slot.ts";

/** What `getNativeServer` gives in the primary process of a server with workers. */
export interface NativeWorkersHandle {
  /** Where the workers listen. */
  readonly address: ListenAddress;
  /** Each worker as it is now. */
  workers(): readonly WorkerStatus[];
}

/** What workers are given beyond the grace to stop plugins and end, before they are killed. */
const endMs = 10_000;

/** A port that is kept for the workers. */
export interface ReservedPort {
  readonly address: ListenAddress;
  /** Gives it back. */
  release(): void;
}

/** Takes a port; rejects as `listen` does. */
export type Reserve = (options: ListenOptions) => Promise<ReservedPort>;

let isSupervising = false;

/** A server in the process that watches over workers. It serves nothing itself. */
export class PrimaryServer implements ServerAdapter {
  readonly name: string;
  readonly platform: string;
  readonly #count: number;
  readonly #reserve: Reserve;
  #running: Workers | undefined;

  constructor({ name, platform }: ServerAdapter, count: number, reserve: Reserve) {
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
        "Another application of this process has workers. Each worker runs the whole program, so only one can have them; " +
          "give the others `workers: 1` in a program of their own",
      );
    }
    const entry = entryModule();
    isSupervising = true;
    try {
      const running = new Workers(entry, this.#count, await this.#reserve(options), log);
      this.#running = running;
      // `close` may take `#running` away before this ends.
      await running.start();
      return running.address;
    } catch (error) {
      await this.#running?.close({ graceMs: 0 }).catch(() => {});
      this.#running = undefined;
      isSupervising = false;
      throw error;
    }
  }

  listen(): Promise<never> {
    return Promise.reject(new Error("A server with workers is started by `listen` of its application"));
  }

  async close(options: CloseOptions): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    try {
      await running.close(options);
    } finally {
      isSupervising = false;
    }
  }

  getNativeServer(): NativeWorkersHandle | undefined {
    return this.#running;
  }
}

/** The workers from their start to their end. */
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

  /** The first alone: what keeps one from starting mostly keeps all, and is to be heard of once. */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    try {
      await first!.start();
      if (this.#isClosing) return;
      await Promise.all(others.map((slot) => slot.start()));
    } catch (error) {
      // A worker that was told to close while it started ends before it listens.
      if (this.#isClosing) return;
      throw error;
    }
    if (!this.#isClosing) for (const slot of this.#slots) slot.keep();
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
   * A second signal ends everything at once. Where this process ends without closing, the workers see their channel end, answer
   * what they have accepted, and end too.
   */
  readonly #onExit = (): void => {
    if (this.#isClosing) for (const slot of this.#slots) slot.kill();
  };
}
