import type { ServerAdapter, ServerExchange } from "@kit/types";

import { routes, tree } from "../../packages/server-native/test/support.ts";
import { aborted, serve } from "./application.ts";
import { isRust, startRust } from "./rust.ts";
import { type CommonOptions, servers } from "./servers.ts";

/** What a server is started with. */
export interface Settings extends CommonOptions {
  readonly bodyBytes: number;
  readonly requestTimeoutMs?: number;
  /** Address to listen on: 127.0.0.1 unless said; every address if it is empty. */
  readonly host?: string;
}

/** A running server. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  /** Why requests to `GET /endless` were told to stop. */
  aborted(): readonly string[];
}

/** A server that answers the cases, on whatever it runs. */
export interface Column {
  readonly name: string;
  /** Serves what the cases of `conformance/http.json` ask. */
  serve(settings: Settings): Promise<Served>;
  /** Answers each request with what it was, as the cases of `conformance/http-raw.json` ask. */
  echo(options?: CommonOptions & Pick<Settings, "host">): Promise<Served>;
}

const bodyBytes = 1024 * 1024;

/** Those of this run. */
export const columns: readonly Column[] = isRust
  ? [
      {
        name: "rust",
        serve: (settings) => startRust("rust-server", settings),
        echo: (options) => startRust("raw-echo", { bodyBytes, ...options }),
      },
    ]
  : servers.map(([name, make]) => ({
      name,
      async serve({ bodyBytes: limit, requestTimeoutMs, host: _host, ...options }) {
        aborted.length = 0;
        const more = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
        const { port, ...app } = await serve(make(options), limit, more);
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
  const service = { tree, routes, limits: { bodyBytes }, handle: echo, refuse: echo, fail: () => undefined };
  return (await server.listen(service, { port: 0, ...(host !== "" && { host }) })).port;
}
