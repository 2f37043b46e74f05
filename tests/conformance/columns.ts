import type { ServerAdapter, ServerExchange, ServerService, TlsOptions } from "@kit/types";

import { routes, tree } from "../../packages/server-native/test/support.ts";
import { aborted, serve } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { type CommonOptions, servers } from "./servers.ts";

/** Options of a server. */
export interface Settings extends CommonOptions {
  readonly bodyBytes: number;
  readonly requestTimeoutMs?: number;
  /** Address to listen on. Default: 127.0.0.1. An empty string means all addresses of the machine. */
  readonly host?: string;
  /** Files of TLS. Default: plain HTTP. */
  readonly tls?: TlsOptions;
}

/** Server that listens on a port. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  /** Returns the codes of the reasons for which requests to `GET /endless` were aborted. */
  aborted(): readonly string[];
  /** Returns the log of a server in its own process. */
  log?(): string;
  /** Asks a server in its own process to shut down, and waits for its end. */
  stop?(): Promise<void>;
}

/** Server that runs the cases: an adapter of kit on Node, or the Rust server. */
export interface Column {
  readonly name: string;
  /** Starts an application with the routes that the cases of `conformance/http.json` need. */
  serve(settings: Settings): Promise<Served>;
  /** Starts a server that responds to each request with the request itself, as the cases of `conformance/http-raw.json` expect. */
  echo(options?: CommonOptions & Pick<Settings, "host">): Promise<Served>;
}

const bodyBytes = 1024 * 1024;

/** Servers that this run tests. */
export const columns: readonly Column[] = isRust
  ? [
      {
        name: "rust",
        serve: ({ tls, ...settings }) =>
          startRust("rust-server", settings, "production", {
            ...(tls !== undefined && { TLS_CERT: tls.cert, TLS_KEY: tls.key }),
          }),
        echo: (options) => startRust("raw-echo", { bodyBytes, ...options }),
      },
    ]
  : servers.map(([name, make]) => ({
      name,
      async serve({ bodyBytes: limit, requestTimeoutMs, host: _host, tls, ...options }) {
        aborted.length = 0;
        const more = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
        const { port, ...app } = await serve(make(options), limit, more, tls);
        return { port, ...app, aborted: () => aborted };
      },
      async echo({ host = "127.0.0.1", ...options } = {}) {
        const server = make(options);
        const port = await listen(server, host);
        return { port, aborted: () => [], [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }) };
      },
    }));

function echo(request: ServerExchange): void {
  const { method, target, bodyTooLarge } = request;
  const said = bodyTooLarge
    ? { error: { code: "PAYLOAD_TOO_LARGE" } }
    : { method, target, body: Buffer.from(request.bodyBytes()).toString("latin1") };
  request.respond(bodyTooLarge ? 413 : 200, "application/json", JSON.stringify(said), null);
}

async function listen(server: ServerAdapter, host: string): Promise<number> {
  const service: ServerService = {
    tree,
    routes,
    limits: { bodyBytes },
    handle: echo,
    refuseUnseen: echo,
    fail: () => undefined,
  };
  return (await server.listen(service, { port: 0, ...(host !== "" && { host }) })).port;
}
