import type {
  CloseOptions,
  ErrorBodies,
  ErrorBodySource,
  ListenAddress,
  ListenOptions,
  PlainServer,
  ServerAdapter,
  ServerService,
  TlsOptions,
} from "@kit/types";

import {
  type Addon,
  type Callbacks,
  type Created,
  loadAddon,
  type OnBody,
  type OnRefused,
  type OnRequest,
  type OnSocket,
  type OnStream,
  type Reserved,
} from "./addon.ts";
import type { WaitingReaders } from "./body-reader.ts";
import { type ExchangeHost, isBodyTooLarge, NativeExchange, wantsSocket } from "./exchange.ts";
import { FallbackServer, isFallbackWanted } from "./fallback.ts";
import { UploadExchange } from "./upload-exchange.ts";
import { RouteMatches } from "./match.ts";
import type { OpenStreams } from "./response-stream.ts";
import type { OpenSockets } from "./socket.ts";
import { SocketExchange } from "./socket-exchange.ts";
import { type EngineOptions, type NativeServerOptions, readOptions } from "./options.ts";
import { readWorkers } from "./workers/count.ts";
import { plan } from "./workers/plan.ts";
import { PrimaryServer, type ReservedPort } from "./workers/primary-server.ts";
import { type PortSharer, WorkerServer } from "./workers/worker-server.ts";

/** Handle that `getNativeServer` returns while the server listens. */
export interface NativeServerHandle {
  /** Address that the server listens on. */
  readonly address: ListenAddress;
  /** Returns the number of open connections. */
  connections(): number;
}

/**
 * Creates kit's own HTTP server, an addon in Rust that runs on Node's event loop. If kit has no addon for the platform, or if the
 * environment variable `KIT_SERVER` is `node`, the server runs on node:http with the same responses. The property `platform` of the server
 * tells which of the two runs.
 *
 * @example
 * ```ts
 * import { createApp } from "@kit/core";
 * import { nativeServer } from "@kit/server-native";
 *
 * const app = createApp({ server: nativeServer({ workers: "auto" }), routes: [notes] });
 * await app.listen({ port: 3000 });
 * ```
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option and its valid values.
 */
export function nativeServer(options: NativeServerOptions = {}): ServerAdapter {
  // `kit dev` replaces the process at each edit and passes its socket on to the next one. Workers cannot share that socket.
  const isDeveloped = Symbol.for("kit.development") in globalThis;
  const workers = isDeveloped ? 1 : readWorkers(options.workers);
  const checked = readOptions(options);
  const server = isFallbackWanted() ? new FallbackServer(checked, workers) : new NativeServer(checked);
  if (!server.canShare) return server;
  // A server without workers behaves the same in every process, even if another server of the application has workers.
  const hasWorkers = workers > 1 || (options.workers === "auto" && !isDeveloped);
  if (plan !== undefined && hasWorkers) return new WorkerServer(server, plan);
  return workers > 1 ? new PrimaryServer(server, workers, reserve) : server;
}

class NativeServer implements PortSharer {
  readonly name = "native";
  readonly platform = "hyper 1";
  readonly canShare = true;
  readonly hasHttp2 = true;
  readonly #options: EngineOptions;
  #running: Running | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    return this.#listen(service, { ...options, sharePort: false });
  }

  listenShared(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    return this.#listen(service, { ...options, sharePort: true });
  }

  // This method is async so that every error becomes a rejection.
  async #listen(service: ServerService, where: Where): Promise<ListenAddress> {
    if (this.#running !== undefined) throw new Error("This server is already listening");
    this.#running = new Running(loadAddon(), service, where, this.#options);
    return this.#running.address;
  }

  async close(options: CloseOptions): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.close(options.graceMs);
  }

  connections(): number {
    return this.#running?.connections() ?? 0;
  }

  reloadTls(): void {
    this.#running?.reloadTls();
  }

  async listenPlain(service: ServerService, where: ListenOptions): Promise<PlainServer> {
    const server = new NativeServer(this.#options);
    const address = await server.listen(service, where);
    return { address, close: (options) => server.close(options) };
  }

  getNativeServer(): NativeServerHandle | undefined {
    return this.#running;
  }
}

interface Where extends ListenOptions {
  /** True if other processes listen on the address too. */
  readonly sharePort: boolean;
}

/** Reserves the port that all workers listen on. */
async function reserve(where: ListenOptions): Promise<ReservedPort> {
  const addon = loadAddon();
  try {
    const reserved = JSON.parse(addon.reserve(where.host ?? null, where.port)) as Reserved;
    const address = addressOf(reserved, where);
    return { address, release: () => addon.release(reserved.reservation) };
  } catch (error) {
    throw listenError(error, where);
  }
}

/** A listening server, until it is closed. */
class Running implements NativeServerHandle {
  readonly address: ListenAddress;
  readonly #host: ExchangeHost;
  readonly #closed: Promise<void>;

  constructor(addon: Addon, service: ServerService, where: Where, options: EngineOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    const listening = new Map<number, NativeExchange>();
    const aborted = new Set<number>();
    const streams: OpenStreams = new Map();
    const matches = new RouteMatches(service.routes.length);
    const onPlainRequest: OnRequest = (id, route, traits, target, bodyLength, body, ...params) => {
      const match = matches.fromCode(route, params);
      service.handle(new NativeExchange(host, id, match, traits, target, bodyLength, body));
    };
    const streamed = service.streamedBodies?.byRoute;
    const { socketRoutes } = service;
    // Only applications with such routes check this for each request.
    const onRequest: OnRequest =
      streamed === undefined && socketRoutes === undefined
        ? onPlainRequest
        : (id, route, traits, target, bodyLength, body, ...params) => {
            const match = matches.fromCode(route, params);
            const isStreamed = streamed?.[route] === true && !isBodyTooLarge(traits);
            const isSocket = socketRoutes?.[route] === true && wantsSocket(traits);
            const Exchange = isStreamed ? UploadExchange : isSocket ? SocketExchange : NativeExchange;
            service.handle(new Exchange(host, id, match, traits, target, bodyLength, body));
          };
    const onAbort = (id: number): void => {
      aborted.add(id);
      const exchange = listening.get(id);
      listening.delete(id);
      exchange?.abort();
    };
    const onRefused: OnRefused = (status, code, message, traceId, remoteAddress) => {
      service.logRefusal?.({
        code,
        message,
        ...(status !== 0 && { status, traceId }),
        // Programs that look for open ports cause such failures on each server of the internet.
        ...(code === "TLS_HANDSHAKE" && { level: "debug" }),
        ...(remoteAddress !== "" && { remoteAddress }),
      });
    };
    const onStream: OnStream = (id, event) => streams.get(id)?.onEvent(event);
    const bodies: WaitingReaders = new Map();
    const onBody: OnBody = (id, part) => bodies.get(id)?.onPart(part);
    const sockets: OpenSockets = new Map();
    const onSocket: OnSocket = (id, event, reason = "") => sockets.get(id)?.onEvent(event, reason);
    const callbacks: Callbacks = [onRequest, onAbort, resolve, onRefused, onStream, onBody, onSocket];
    const created = create(addon, service, where, options, callbacks);
    const { server } = created;
    const scheme = where.tls === undefined ? "http" : "https";
    const host: ExchangeHost = { addon, server, scheme, listening, aborted, streams, bodies, sockets };
    this.#host = host;
    this.address = addressOf(created, where);
  }

  connections(): number {
    return this.#host.addon.connections(this.#host.server);
  }

  reloadTls(): void {
    const { addon, server } = this.#host;
    try {
      addon.reloadTls(server);
    } catch (error) {
      throw tlsError(error);
    }
  }

  async close(graceMs: number): Promise<void> {
    const { addon, server } = this.#host;
    addon.close(server, graceMs);
    await this.#closed;
    addon.forget(server);
  }
}

function create(
  addon: Addon,
  service: ServerService,
  where: Where,
  options: EngineOptions,
  callbacks: Callbacks,
): Created {
  const { tree, routes, limits, bodyLimits, streamedBodies, errorBodies, servedFiles } = service;
  const { defaults = [] } = service.responseRules ?? {};
  const { host, port, path, fd, sharePort, tls } = where;
  const all = {
    tree,
    routes,
    host,
    port,
    path,
    fd,
    ...(sharePort && { sharePort }),
    ...(tls !== undefined && { tls: tlsOf(tls) }),
    bodyBytes: limits.bodyBytes,
    ...(bodyLimits !== undefined && { bodyLimits: bodyLimits.byRoute }),
    ...(streamedBodies !== undefined && { streamedBodies: streamedBodies.byRoute }),
    ...(streamedBodies?.rates !== undefined && {
      bodyRates: streamedBodies.rates.byRoute.map((rate) => rate ?? -1),
    }),
    ...(defaults.length > 0 && { defaultHeaders: defaults }),
    ...(errorBodies !== undefined && { errorBodies: render(errorBodies, addon) }),
    ...(servedFiles !== undefined && { files: servedFiles }),
    ...options,
  };
  try {
    return JSON.parse(addon.create(JSON.stringify(all), ...callbacks)) as Created;
  } catch (error) {
    throw listenError(tlsError(error), where);
  }
}

/** Moves the advice of an error about files of TLS from the message to the property `help`. Returns other errors unchanged. */
function tlsError(error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== "ERR_KIT_TLS") return error;
  const [message = "", help = ""] = error.message.split("\nhelp: ");
  return Object.assign(new Error(message, { cause: error }), { code: "ERR_KIT_TLS", help });
}

/** Returns the options of TLS as the addon reads them. */
function tlsOf({ cert, key, clientCa, clientCertificates, minVersion, http2 }: TlsOptions): object {
  return {
    cert,
    key,
    ...(clientCa !== undefined && { clientCa, requiresClientCertificate: clientCertificates !== "optional" }),
    ...(minVersion !== undefined && { minVersion }),
    ...(http2 === true && { http2 }),
  };
}

/** Creates the bodies of the errors that the addon sends by itself, without their trace ids. */
function render(bodies: ErrorBodies, addon: Addon): object {
  const errors = JSON.parse(addon.errors()) as readonly ErrorBodySource[];
  return {
    contentType: bodies.contentType,
    bodies: errors.map((error) => ({
      status: error.status,
      message: error.message,
      parts: bodies.parts(error),
    })),
  };
}

/**
 * Converts an error of `listen` to an error whose message explains what to do. The new error has the same
 * `code`, such as `EADDRINUSE`.
 */
function listenError(cause: unknown, { port, host, path, fd }: ListenOptions): unknown {
  if (!(cause instanceof Error)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  const at =
    fd === undefined
      ? (path ?? (host === undefined ? `port ${port}` : `${host}, port ${port}`))
      : `descriptor ${fd}`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Cannot listen on ${at}: the port is in use. Stop the program that uses the port, or choose another port`,
    EACCES: `Cannot listen on ${at}: not permitted. Ports below 1024 often need a privilege`,
    EADDRNOTAVAIL: `Cannot listen on ${at}: this machine has no such address`,
    ENOTFOUND: `Cannot listen on ${at}: the host name cannot be resolved`,
    ERR_KIT_LISTEN: `Cannot listen on ${at}: ${cause.message}`,
    ...(path !== undefined && {
      EADDRINUSE: `Cannot listen on ${at}: another server listens on it, or the file is not a socket. Stop the server that uses the socket, or choose another path`,
      EACCES: `Cannot listen on ${at}: the directory does not permit it`,
      ENOENT: `Cannot listen on ${at}: the directory does not exist`,
    }),
  };
  const message = messages[code ?? ""];
  return message === undefined
    ? cause
    : Object.assign(new Error(message, { cause }), { code, ...(path === undefined ? { port } : { path }) });
}

function addressOf(
  { host, port }: Pick<Created, "host" | "port">,
  { path, tls }: ListenOptions,
): ListenAddress {
  // A Unix socket has neither host nor port.
  if (host === null || port === null) return { host: "", port: 0, path: path!, url: `unix:${path!}` };
  const isEverywhere = host === "::" || host === "0.0.0.0";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { host, port, url: `${tls === undefined ? "http" : "https"}://${name}:${port}` };
}
