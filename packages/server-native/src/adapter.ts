import type { CloseOptions, ListenAddress, ListenOptions, ServerAdapter, ServerService } from "@kit/types";

import { type Addon, type Created, loadAddon, type OnRequest } from "./addon.ts";
import { type ExchangeHost, NativeExchange } from "./exchange.ts";
import { Matches } from "./match.ts";

/** How long the server waits for clients, in milliseconds. */
export interface NativeServerOptions {
  /** Between two requests on one connection; default 72,000. */
  readonly keepAliveTimeoutMs?: number;
  /** From the first byte of a request to the end of its headers; default 10,000. */
  readonly headersTimeoutMs?: number;
  /** From the end of the headers to the end of the body; default 300,000. */
  readonly bodyTimeoutMs?: number;
  /** For a client that has stopped reading its answer; default 60,000. */
  readonly writeTimeoutMs?: number;
}

/** What `getNativeServer` gives while the server listens. */
export interface NativeServerHandle {
  /** Where it listens. */
  readonly address: ListenAddress;
  /** How many connections are open. */
  connections(): number;
}

/**
 * kit's own HTTP server, which runs in Rust on Node's own event loop.
 *
 * @example
 * ```ts
 * import { createApp } from "@kit/core";
 * import { nativeServer } from "@kit/server-native";
 *
 * const app = createApp({ server: nativeServer(), routes: [notes] });
 * await app.listen({ port: 3000 });
 * ```
 */
export function nativeServer(options: NativeServerOptions = {}): ServerAdapter {
  return new NativeServer(readTimeouts(options));
}

/** As the addon takes them. */
interface Timeouts {
  readonly idle?: number;
  readonly head?: number;
  readonly body?: number;
  readonly write?: number;
}

class NativeServer implements ServerAdapter {
  readonly name = "native";
  readonly platform = "hyper 1";
  readonly #timeouts: Timeouts;
  #running: Running | undefined;

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
  }

  // Async, so that every failure is a rejection.
  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#running !== undefined) throw new Error("This server is listening already");
    this.#running = new Running(loadAddon(), service, options, this.#timeouts);
    return this.#running.address;
  }

  async close(options: CloseOptions): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.close(options.graceMs);
  }

  getNativeServer(): NativeServerHandle | undefined {
    return this.#running;
  }
}

/** A server from its start to its end. */
class Running implements NativeServerHandle {
  readonly address: ListenAddress;
  readonly #host: ExchangeHost;
  readonly #closed: Promise<void>;

  constructor(addon: Addon, service: ServerService, options: ListenOptions, timeouts: Timeouts) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    const listening = new Map<number, NativeExchange>();
    const aborted = new Set<number>();
    const matches = new Matches(service.routes.length);
    const onRequest: OnRequest = (id, route, traits, target, bodyLength, body, ...params) => {
      const match = matches.of(route, params);
      service.handle(new NativeExchange(host, id, match, traits, target, bodyLength, body));
    };
    const onAbort = (id: number): void => {
      aborted.add(id);
      const exchange = listening.get(id);
      listening.delete(id);
      exchange?.abort();
    };
    const created = create(addon, service, options, timeouts, onRequest, onAbort, resolve);
    const host: ExchangeHost = { addon, server: created.server, listening, aborted };
    this.#host = host;
    this.address = addressOf(created);
  }

  connections(): number {
    return this.#host.addon.connections(this.#host.server);
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
  { host, port }: ListenOptions,
  timeouts: Timeouts,
  onRequest: OnRequest,
  onAbort: (id: number) => void,
  onClosed: () => void,
): Created {
  const { tree, routes, limits } = service;
  const options = JSON.stringify({ tree, routes, host, port, bodyBytes: limits.bodyBytes, timeouts });
  try {
    return JSON.parse(addon.create(options, onRequest, onAbort, onClosed)) as Created;
  } catch (error) {
    throw listenError(error, port, host);
  }
}

/** Errors of the operating system in words that say what to do, with Node's codes. */
function listenError(cause: unknown, port: number, host: string | undefined): unknown {
  if (!(cause instanceof Error)) return cause;
  const { code } = cause as NodeJS.ErrnoException;
  const at = host === undefined ? `port ${port}` : `${host}, port ${port}`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Cannot listen on ${at}: the port is in use. Stop what uses it, or choose another port`,
    EACCES: `Cannot listen on ${at}: not permitted. Ports below 1024 often need a privilege`,
    EADDRNOTAVAIL: `Cannot listen on ${at}: this machine has no such address`,
    ENOTFOUND: `Cannot listen on ${at}: the host is not known`,
    ERR_KIT_LISTEN: `Cannot listen on ${at}: ${cause.message}`,
  };
  const message = messages[code ?? ""];
  return message === undefined ? cause : Object.assign(new Error(message, { cause }), { code, port });
}

function addressOf({ host, port }: Created): ListenAddress {
  const isEverywhere = host === "::" || host === "0.0.0.0";
  const name = isEverywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return { host, port, url: `http://${name}:${port}` };
}

function readTimeouts(options: NativeServerOptions): Timeouts {
  const read = (name: keyof NativeServerOptions): number | undefined => {
    const value = options[name];
    if (value === undefined) return undefined;
    if (!Number.isInteger(value) || value < 1 || value > 2 ** 31) {
      throw new RangeError(
        `nativeServer: \`${name}\` must be a whole number of milliseconds, not ${String(value)}`,
      );
    }
    return value;
  };
  const [idle, head, body, write] = [
    read("keepAliveTimeoutMs"),
    read("headersTimeoutMs"),
    read("bodyTimeoutMs"),
    read("writeTimeoutMs"),
  ];
  return {
    ...(idle !== undefined && { idle }),
    ...(head !== undefined && { head }),
    ...(body !== undefined && { body }),
    ...(write !== undefined && { write }),
  };
}
