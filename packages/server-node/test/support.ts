import { once } from "node:events";
import { connect } from "node:net";

import { createApp, type LogEntry, type RequestContext } from "@kit/core";
import type { ListenAddress, ListenOptions, ServerAdapter } from "@kit/types";

import { compiled, objectOf, responseOf, route } from "../../core/test/support/compiled.ts";

/** Running application. `await using` closes it at the end of the block. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Address of plain HTTP that redirects to the server with TLS. */
  readonly redirect?: ListenAddress | undefined;
  readonly log: readonly LogEntry[];
  close(graceMs?: number): Promise<void>;
}

/** Handlers of the test application. */
export interface Handlers {
  readonly get?: (ctx: RequestContext) => unknown;
}

const text = responseOf("Text", { text: "string" });

/** Starts an application with two routes: `handlers.get` serves GET /notes/:id, and POST /notes responds with the body of its request. */
export async function serve(
  server: ServerAdapter,
  { get = () => ({ text: "hi" }) }: Handlers = {},
  listen: ListenOptions = { port: 0, host: "127.0.0.1" },
): Promise<Served> {
  const log: LogEntry[] = [];
  const app = createApp({
    server,
    env: "production",
    signals: false,
    compiled: compiled(
      route("GET /notes/:id", { response: text }),
      route("POST /notes", { body: objectOf("Text", { text: "string" }), response: text }),
    ),
    logging: { level: "error" },
    plugins: [{ name: "log", onLog: (entry) => log.push(entry) }],
    routes: [
      {
        handlers: {
          "GET /notes/:id": ({ ctx }: { ctx: RequestContext }) => get(ctx),
          "POST /notes": ({ body }: { body: unknown }) => body,
        },
      },
    ],
  });
  const { url, port, redirect } = await app.listen(listen);
  const close = (graceMs = 0): Promise<void> => app.close({ graceMs });
  return { url, port, redirect, log, close, [Symbol.asyncDispose]: () => close() };
}

/** Sends a POST request with a body, by default of type JSON. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = "application/json",
  headers: Readonly<Record<string, string>> = {},
): Promise<[status: number, body: unknown]> {
  const response = await fetch(url, { method: "POST", body, headers: { "content-type": type, ...headers } });
  return [response.status, await response.json()];
}

/** Resolves to the status and the error code if the response is an error, and otherwise to the status and the complete body. */
export async function outcome(answer: Promise<[number, unknown]>): Promise<[number, unknown]> {
  const [status, body] = await answer;
  const { error } = body as { error?: { code: string } };
  return [status, error?.code ?? body];
}

/** Sends raw bytes and returns everything that the server sends before it closes the connection. */
export async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return Buffer.concat(await socket.toArray()).toString("latin1");
}

/** Sends a request, and disconnects when `after` resolves instead of waiting for the response. */
export async function leave(port: number, request: string, after: Promise<unknown>): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(request);
  await after;
  socket.destroy();
}

/** Waits until `holds` returns true, for at most 20 seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
}
