import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";

import type { Logger } from "@kit/types";

import { type Family, textOf } from "./families.ts";
import { WorkerSockets } from "./worker-sockets.ts";

const retryMs = 250;
/**
 * Time in milliseconds to wait for a port in use before the warning. Under `kit dev`, the previous process uses the port a
 * little longer.
 */
const patienceMs = 6_000;
/** Maximum number of connections. Few programs read metrics. */
const mostConnections = 64;

/** Settings of {@link MetricsListener}. */
export interface ListenerSettings {
  readonly port: number;
  readonly hostname: string;
  /** Returns the metrics of this process. */
  readonly read: () => Promise<Family[]>;
  readonly log: Logger;
  /** Number of this process among the processes of the application. `null` if there is only one process. */
  readonly worker: number | null;
  /** Secret that the processes of the application share. `null` if there is only one process. */
  readonly group: string | null;
}

/**
 * HTTP server that answers `GET /metrics` for Prometheus. If the application has several processes, one of them has the port, and
 * reads the metrics of the others when Prometheus asks. If this process ends, another one takes the port.
 */
export class MetricsListener {
  readonly #settings: ListenerSettings;
  readonly #server: Server;
  readonly #sockets: WorkerSockets | null;
  /** Server for the process that has the port. `null` if the application has only one process. */
  readonly #ownSocket: Server | null;
  #retry: NodeJS.Timeout | undefined;
  #warnAt: number | undefined;
  #isClosed = false;

  constructor(settings: ListenerSettings) {
    this.#settings = settings;
    const { worker, group, read, log } = settings;
    this.#server = createServer(
      { headersTimeout: 10_000, requestTimeout: 10_000, requireHostHeader: false },
      (request, response) => void this.#respond(request, response),
    );
    this.#server.maxConnections = mostConnections;
    this.#sockets = worker === null || group === null ? null : openSockets(group, worker, log);
    this.#ownSocket =
      this.#sockets === null
        ? null
        : createServer((_, response) => {
            read().then(
              (families) => response.end(JSON.stringify(families)),
              (error: unknown) => {
                log.error("Metrics cannot be read", { error });
                response.destroy();
              },
            );
          });
  }

  /** Starts to listen, immediately or as soon as the port is free. A failure is logged, and the application goes on. */
  start(): void {
    const { log, port } = this.#settings;
    this.#ownSocket
      ?.on("error", (error) => log.warn("The metrics of this process cannot be read by others", { error }))
      .listen({ path: this.#sockets!.path, exclusive: true })
      .unref();
    this.#listen(port);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const servers = [this.#server, ...(this.#ownSocket === null ? [] : [this.#ownSocket])];
    await Promise.all(
      servers.map(async (server) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        server.close(() => resolve());
        server.closeAllConnections();
        await promise;
      }),
    );
    this.#sockets?.remove();
  }

  #listen(port: number): void {
    const { hostname, log, worker } = this.#settings;
    const server = this.#server;
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off("listening", onListening);
      if (this.#isClosed) return;
      if (error.code !== "EADDRINUSE") {
        log.error(
          `Prometheus cannot read the metrics, because ${hostname}:${port} cannot be used; set \`telemetry.prometheus\` to another address`,
          { error },
        );
        return;
      }
      this.#warnAt ??= performance.now() + patienceMs;
      // One of several processes has the port, and the others wait for it.
      if (performance.now() >= this.#warnAt && worker === null) {
        log.warn(
          `Prometheus cannot read the metrics while another program uses port ${port}; set \`telemetry.prometheus.port\` to another port`,
        );
        this.#warnAt = Infinity;
      }
      this.#retry = setTimeout(() => this.#listen(port), retryMs).unref();
    };
    const onListening = (): void => {
      server.off("error", onError);
      // For example, the process may have no free file descriptor for another connection.
      server.on("error", (error) => log.warn("The server of the metrics failed", { error }));
      const { port: used } = server.address() as AddressInfo;
      const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
      log.info(`Prometheus can read the metrics at http://${host}:${used}/metrics`);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    // Without `exclusive`, the primary process of a cluster would share one socket among all processes.
    server.listen({ port, host: hostname, exclusive: true });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    if (isLoopback(this.#settings.hostname) && !isLocalHost(headers.host))
      return refuse(response, 403, "the host must be localhost or an IP address");
    if (url.split("?", 1)[0] !== "/metrics") return refuse(response, 404, "metrics are at /metrics");
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return refuse(response, 405, "use GET");
    }
    try {
      const others = this.#sockets?.readOthers() ?? Promise.resolve([]);
      const [own, ofOthers] = await Promise.all([this.#settings.read(), others]);
      send(response, 200, "text/plain; version=0.0.4; charset=utf-8", textOf([own, ...ofOthers]));
    } catch (error) {
      this.#settings.log.error("Metrics cannot be read", { error });
      refuse(response, 500, "the application's log says why");
    }
  }
}

/** Returns `null` if the sockets cannot be created. The application goes on, and the metrics of this process are not shared. */
function openSockets(group: string, worker: number, log: Logger): WorkerSockets | null {
  try {
    return new WorkerSockets(group, worker);
  } catch (error) {
    log.warn("The metrics of this process cannot be read by others", { error });
    return null;
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname.startsWith("127.");
}

/**
 * Returns true if a header `host` is localhost or an IP address. Otherwise, the request may come from a web page whose name an
 * attacker has pointed to this machine (DNS rebinding).
 */
function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isIP(name) !== 0;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // The body of the request is not read.
  response.setHeader("connection", "close");
  send(response, status, "text/plain; charset=utf-8", `${message}\n`);
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  // In the response to HEAD, Node leaves the body out.
  response.end(text);
}
