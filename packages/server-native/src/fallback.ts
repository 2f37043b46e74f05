import type { CloseOptions, ListenAddress, ListenOptions, ServerService } from "@kit/types";
import type { NodeHost, NodeListenOptions } from "@kit/server-node";

import { isBuiltFor, platformTriple } from "./addon.ts";
import { boundsOf, timeoutsOf } from "./fallback-options.ts";
import type { EngineOptions } from "./options.ts";
import type { PortSharer } from "./workers/worker-server.ts";

/** What `getNativeServer` gives while the fallback listens; as that of the engine. */
interface Running {
  readonly host: NodeHost;
  readonly address: ListenAddress;
  connections(): number;
}

/**
 * Whether node:http takes the engine's place: where there is no engine for the platform, or where `KIT_SERVER` is `node`. An
 * addon that is missing or broken where there should be one is an error, not a reason: nobody would notice.
 *
 * @throws {TypeError} that says what `KIT_SERVER` may be.
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
        `KIT_SERVER is ${JSON.stringify(wanted)}; it may be \`node\`, for a server on node:http, or \`native\`, or absent`,
      );
  }
}

/** The native server where its engine is not: the same options, the same answers, on node:http. */
export class FallbackServer implements PortSharer {
  readonly name = "native";
  readonly platform = "node:http";
  // The addon keeps the port for them, and Node shares one on Linux only.
  readonly canShare: boolean = process.platform === "linux" && isBuiltFor(platformTriple());
  readonly #options: EngineOptions;
  readonly #workers: number;
  #running: Running | undefined;
  #isStarting = false;

  /** `workers` are how many processes are asked for; where ports cannot be shared, one serves. */
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
    if (this.#running !== undefined || this.#isStarting) throw new Error("This server is listening already");
    this.#isStarting = true;
    if (this.#workers > 1 && !this.canShare) {
      process.emitWarning(
        `nativeServer: \`workers\` asks for ${this.#workers} processes; on node:http this one serves alone`,
        { code: "KIT_WORKERS" },
      );
    }
    try {
      // Loaded here, so that nobody who has the engine pays for node:http.
      const { NodeHost } = await import("@kit/server-node");
      const options = this.#options;
      const host = NodeHost.of(undefined, service, timeoutsOf(options), undefined, boundsOf(options));
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

  connections(): number {
    return this.#running?.connections() ?? 0;
  }

  getNativeServer(): Pick<Running, "address" | "connections"> | undefined {
    return this.#running;
  }
}
