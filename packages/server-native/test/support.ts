import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";

import type {
  CompiledRouteNode,
  CompiledRouteTree,
  ListenAddress,
  ListenOptions,
  ServerAdapter,
  ServerExchange,
  ServerRefusal,
  ServerService,
} from "@kit/types";

import { nativeServer, type NativeServerOptions } from "../src/index.ts";

/** True if the tests run on node:http in place of the native server, see `fallback.test.ts`. */
export const isFallback: boolean = process.env["KIT_SERVER"] === "node";

/** Registers a test that runs on the native server only, and not on the fallback. */
export const engineTest: typeof test = isFallback ? ((() => undefined) as unknown as typeof test) : test;

/** Function that responds to the requests of the test application. */
export type Handle = (exchange: ServerExchange) => void;

const node = (segment: string, rest: Partial<CompiledRouteNode>): CompiledRouteNode => ({
  segment,
  children: [],
  ...rest,
});
const methods = (...refs: string[]): NonNullable<CompiledRouteNode["methods"]> =>
  Object.fromEntries(refs.map((ref) => [ref.split(" ")[0]!, { ref, validators: [] }]));

/** Routes of the test application. The index of each is its number. */
export const routes: readonly string[] = ["GET /notes", "POST /notes", "GET /notes/:id", "GET /a/:x/:y"];

export const tree: CompiledRouteTree = {
  root: node("", {
    children: [
      node("notes", {
        methods: methods("GET /notes", "POST /notes"),
        children: [node(":", { paramName: "id", methods: methods("GET /notes/:id") })],
      }),
      node("a", {
        children: [
          node(":", {
            paramName: "x",
            children: [node(":", { paramName: "y", methods: methods("GET /a/:x/:y") })],
          }),
        ],
      }),
    ],
  }),
  metadata: {
    totalRoutes: 4,
    maxDepth: 3,
    staticRoutes: 2,
    parameterizedRoutes: 2,
    generatedAt: "2026-01-01T00:00:00.000Z",
  },
};

/** Running server. `await using` closes it at the end of the block. */
export interface Running extends AsyncDisposable {
  readonly server: ServerAdapter;
  readonly address: ListenAddress;
  readonly url: string;
}

/** Starts a server that passes each request to `handle` instead of to an application. */
export async function serve(
  handle: Handle,
  options: NativeServerOptions & { bodyBytes?: number } & Partial<ListenOptions> = {},
  refusals: ServerRefusal[] = [],
): Promise<Running> {
  const { bodyBytes = 1024 * 1024, port = 0, host = "127.0.0.1", tls, ...timeouts } = options;
  const server = nativeServer(timeouts);
  const service: ServerService = {
    tree,
    routes,
    limits: { bodyBytes },
    socketRoutes: routes.map((ref) => ref === "GET /notes/:id"),
    handle,
    fail: () => {},
    logRefusal: (refusal) => void refusals.push(refusal),
  };
  const address = await server.listen(service, { port, host, ...(tls !== undefined && { tls }) });
  return {
    server,
    address,
    url: address.url,
    [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }),
  };
}

/** Responds with JSON. */
export function json(exchange: ServerExchange, value: unknown, status = 200): void {
  exchange.respond(status, "application/json", JSON.stringify(value), null);
}

/** Sends raw bytes and returns everything that the server sends before it closes the connection. */
export async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  return Buffer.concat(await socket.toArray()).toString("latin1");
}

/** Sends a request, and disconnects when `after` resolves instead of waiting for the response. */
export async function leave(port: number, path: string, after: Promise<unknown>): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  await after;
  socket.destroy();
}
