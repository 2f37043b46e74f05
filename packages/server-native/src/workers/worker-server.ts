import type {
  CloseOptions,
  ListenAddress,
  ListenOptions,
  ServerAdapter,
  ServerService,
  ServerWorker,
} from "@kit/types";

import { type Message, readMessage, toFailure } from "./messages.ts";
import type { WorkerPlan } from "./plan.ts";

/** A server that can listen on a port beside those of other processes. */
export interface PortSharer extends ServerAdapter {
  /** Whether it can on this platform. */
  readonly canShare: boolean;
  listenShared(service: ServerService, options: ListenOptions): Promise<ListenAddress>;
}

/** A server in a worker process: it listens where the primary said, and ends with it. */
export class WorkerServer implements ServerAdapter {
  readonly name: string;
  readonly platform: string;
  readonly worker: ServerWorker;
  readonly #server: PortSharer;
  readonly #plan: WorkerPlan;

  constructor(server: PortSharer, plan: WorkerPlan) {
    if (process.ppid !== plan.primary)
      throw new Error(
        `nativeServer: this is worker ${plan.worker} of process ${plan.primary}, which is gone`,
      );
    this.name = server.name;
    this.platform = server.platform;
    this.#server = server;
    this.#plan = plan;
    this.worker = new PrimaryLink(plan);
  }

  listen(service: ServerService, _options: ListenOptions): Promise<ListenAddress> {
    const { host, port } = this.#plan;
    return this.#server.listenShared(service, { host, port });
  }

  close(options: CloseOptions): Promise<void> {
    return this.#server.close(options);
  }

  connections(): number {
    return this.#server.connections?.() ?? 0;
  }

  getNativeServer(): unknown {
    return this.#server.getNativeServer();
  }
}

/** A worker's side of the channel. */
class PrimaryLink implements ServerWorker {
  readonly number: number;
  readonly group: string;
  #close: ((options: Partial<CloseOptions>) => void) | undefined;

  constructor({ worker, group }: WorkerPlan) {
    this.number = worker;
    this.group = group;
    process.on("message", (value) => {
      const message = readMessage(value);
      if (message?.kit === "close") this.#end({ graceMs: message.graceMs, delayMs: message.delayMs });
    });
    process.on("disconnect", () => this.#end({}));
    // The server keeps the process, not the channel.
    process.channel?.unref();
  }

  ready(close: (options: Partial<CloseOptions>) => void): void {
    this.#close = close;
    if (process.connected) send({ kit: "ready" });
    else this.#end({});
  }

  failed(error: unknown): Promise<never> {
    // What the primary says of it is enough; this process is not to print it once more.
    if (process.connected) send({ kit: "failed", failure: toFailure(error) }, () => process.exit(1));
    else process.exit(1);
    return new Promise(() => {});
  }

  /** The primary closes, or it is gone. */
  #end(options: Partial<CloseOptions>): void {
    if (this.#close === undefined) process.exit(0);
    // Whoever signals the whole group may reach this process when it has closed and listens to signals no more: it is to end
    // as it would have, and not by the signal.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {});
    this.#close(options);
  }
}

function send(message: Message, sent?: () => void): void {
  // A failure means that the primary is gone, of which `disconnect` tells.
  process.send?.(message, undefined, undefined, () => sent?.());
}
