import type { CloseOptions, ListenAddress, ListenOptions, PlainServer, ServerService } from "@kit/types";
import type { NodeHost, NodeListenOptions } from "@kit/server-node";

import { isBuiltFor, platformTriple } from "./addon.ts";
import { limitsOf, timeoutsOf } from "./fallback-options.ts";
import type { EngineOptions } from "./options.ts";
import type { PortSharer } from "./workers/worker-server.ts";

/**
 * Handle that `getNativeServer` returns while the fallback listens. The handle has the same public members as the native server's
 * handle.
 */
interface Running {
  readonly host: NodeHost;
  readonly address: ListenAddress;
  connections(): number;
}

/**
 * Returns true if node:http replaces the native server: if kit has no addon for the platform, or if `KIT_SERVER` is `node`. If the platform
 * has an addon that is missing or broken, the server fails instead, because nobody would notice a silent fallback.
 *
 * @throws {TypeError} if `KIT_SERVER` is invalid. The message names the valid values.
 */
export function isFallbackWanted(): boolean {
  const wanted = process.env["KIT_SERVER"];
  switch (wanted) {
    case undefined:
    case "":
      return !isBuiltFor(platformTriple());
    case "node":
      return true;
    case "native":
      return false;
    default:
      throw new TypeError(
        `KIT_SERVER is ${JSON.stringify(wanted)}; set it to \`node\` for a server on node:http, set it to \`native\`, or unset it`,
      );
  }
}

/** Server on node:http that replaces the native server, with the same options and the same responses. */
export class FallbackServer implements PortSharer {
  readonly name = "native";
  readonly platform = "node:http";
  // The addon reserves the port for the workers, so the platform needs one. Node supports shared ports on Linux only.
  readonly canShare: boolean = process.platform === "linux" && isBuiltFor(platformTriple());
  readonly #options: EngineOptions;
  readonly #workers: number;
  #running: Running | undefined;
  #isStarting = false;

  /** `workers` is the requested number of processes. One process serves if processes cannot share a port here. */
  constructor(options: EngineOptions, workers: number) {
    this.#options = options;
    this.#workers = workers;
  }

  listen(service: ServerService, where: ListenOptions): Promise<ListenAddress> {
    return this.#listen(service, where);
  }

  listenShared(service: ServerService, where: ListenOptions): Promise<ListenAddress> {
    return this.#listen(service, { ...where, sharePort: true });
  }

  async #listen(service: ServerService, where: NodeListenOptions): Promise<ListenAddress> {
    if (this.#running !== undefined || this.#isStarting) throw new Error("This server is already listening");
    this.#isStarting = true;
    if (this.#workers > 1 && !this.canShare) {
      process.emitWarning(
        `nativeServer: \`workers\` requests ${this.#workers} processes, but node:http here supports one process only`,
        { code: "KIT_WORKERS" },
      );
    }
    try {
      // Loaded on demand, so that applications on the native server do not load node:http.
      const { NodeHost } = await import("@kit/server-node");
      const options = this.#options;
      const { tls } = where;
      const host = NodeHost.of(undefined, service, timeoutsOf(options), undefined, limitsOf(options), tls);
      const address = await host.listen(where);
      this.#running = { host, address, connections: () => host.connections };
      return address;
    } finally {
      this.#isStarting = false;
    }
  }

  async close(options: CloseOptions): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.host.close(options);
  }

  reloadTls(): void {
    this.#running?.host.reloadTls();
  }

  async listenPlain(service: ServerService, where: ListenOptions): Promise<PlainServer> {
    const { listenPlain } = await import("@kit/server-node");
    const options = this.#options;
    return listenPlain(service, where, { timeouts: timeoutsOf(options), limits: limitsOf(options) });
  }

  connections(): number {
    return this.#running?.connections() ?? 0;
  }

  getNativeServer(): Pick<Running, "address" | "connections"> | undefined {
    return this.#running;
  }
}
