import type { CompiledRouteTree, ServerExchange, ServerService, SocketOptions } from "@kit/types";

const tree: CompiledRouteTree = {
  root: { segment: "", children: [], methods: { GET: { ref: "WS /", validators: [] } } },
  metadata: {
    totalRoutes: 1,
    maxDepth: 0,
    staticRoutes: 1,
    parameterizedRoutes: 0,
    generatedAt: "2026-01-01T00:00:00.000Z",
  },
};

/** Event of a socket of {@link echoService}. */
export type SocketEvent =
  | { readonly message: string | Uint8Array }
  | { readonly closed: number; readonly reason: string };

/**
 * Creates a service that sends every message of a WebSocket back, without the pipeline of core. `report` is called for each
 * event.
 */
export function echoService(
  options: SocketOptions,
  report: (event: SocketEvent) => void = () => {},
): ServerService {
  return {
    tree,
    routes: ["WS /"],
    limits: { bodyBytes: 1024 },
    socketRoutes: [true],
    handle: (exchange) => echo(exchange, options, report),
    fail: (exchange) => exchange.respond(500, null, null, null),
  };
}

function echo(exchange: ServerExchange, options: SocketOptions, report: (event: SocketEvent) => void): void {
  if (exchange.acceptSocket === undefined) {
    exchange.respond(426, null, null, ["upgrade", "websocket"]);
    return;
  }
  const socket = exchange.acceptSocket(options, {
    message(data) {
      report({ message: data });
      if (!socket.send(data)) socket.pause();
    },
    drain: () => socket.resume(),
    closed: (code, reason) => report({ closed: code, reason }),
  });
}
