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

/** Server that can listen on the same port as other processes. */
export interface PortSharer extends ServerAdapter {
  /** True if the platform supports shared ports. */
  readonly canShare: boolean;
  listenShared(service: ServerService, options: ListenOptions): Promise<ListenAddress>;
}

/** Server in a worker process. It listens on the port that the primary has reserved, and closes if the primary has exited. */
export class WorkerServer implements ServerAdapter {
  readonly name: string;
  readonly platform: string;
  readonly worker: ServerWorker;
  declare readonly reloadTls?: () => void;
  declare readonly hasHttp2?: boolean;
  declare readonly listenPlain?: NonNullable<ServerAdapter["listenPlain"]>;
  readonly #server: PortSharer;
  readonly #plan: WorkerPlan;

  constructor(server: PortSharer, plan: WorkerPlan) {
    if (process.ppid !== plan.primary)
      throw new Error(
        `nativeServer: this is worker ${plan.worker} of process ${plan.primary}, but that process has ended`,
      );
    this.name = server.name;
    this.platform = server.platform;
    this.#server = server;
    this.#plan = plan;
    this.worker = new PrimaryLink(plan);
    if (server.hasHttp2 !== undefined) this.hasHttp2 = server.hasHttp2;
    if (server.reloadTls !== undefined) this.reloadTls = () => server.reloadTls!();
    if (server.listenPlain !== undefined)
      this.listenPlain = (service, options) => server.listenPlain!(service, options);
  }

  listen(service: ServerService, { tls }: ListenOptions): Promise<ListenAddress> {
    const { host, port } = this.#plan;
    return this.#server.listenShared(service, { host, port, ...(tls !== undefined && { tls }) });
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

/** Channel from a worker to its primary process. */
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
    // The primary process passes SIGHUP on, also to a worker that does not listen yet or no more. The default action of the signal
    // would end that worker.
    process.on("SIGHUP", () => {});
    // The channel must not keep the process running. The server does.
    process.channel?.unref();
  }

  ready(close: (options: Partial<CloseOptions>) => void): void {
    this.#close = close;
    if (process.connected) send({ kit: "ready" });
    else this.#end({});
  }

  failed(error: unknown): Promise<never> {
    // The primary reports the error, so this process does not print it again.
    if (process.connected) send({ kit: "failed", failure: toFailure(error) }, () => process.exit(1));
    else process.exit(1);
    return new Promise(() => {});
  }

  /** Stops the worker because the primary closes it or has exited. */
  #end(options: Partial<CloseOptions>): void {
    if (this.#close === undefined) process.exit(0);
    // A signal to the whole process group may reach this process after the application has closed and removed its signal handlers. Without
    // these listeners, the signal would end the process, and its exit code would not be 0.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {});
    this.#close(options);
  }
}

function send(message: Message, sent?: () => void): void {
  // Sending fails only if the primary has exited. The `disconnect` event reports that.
  process.send?.(message, undefined, undefined, () => sent?.());
}
