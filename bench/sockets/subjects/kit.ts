/** Subject: an adapter of kit. The variable `KIT_SERVER` selects the native server or the fallback on `node:http`. */
import { nativeServer } from "@kit/server-native";
import type { CompiledRouteTree, ServerExchange } from "@kit/types";

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

function handle(exchange: ServerExchange): void {
  if (exchange.acceptSocket === undefined) {
    exchange.respond(501, null, null, null);
    return;
  }
  const options = {
    messageBytes: 1024 * 1024,
    compression: false,
    pingMs: 30_000,
    protocol: null,
    headers: null,
  };
  const socket = exchange.acceptSocket(options, {
    message: (data) => void socket.send(JSON.stringify(JSON.parse(data as string))),
    drain: () => undefined,
    closed: () => undefined,
  });
}

await nativeServer().listen(
  {
    tree,
    routes: ["WS /"],
    limits: { bodyBytes: 1024 },
    socketRoutes: [true],
    handle,
    fail: () => undefined,
  },
  { port: Number(process.env["PORT"]), host: "127.0.0.1" },
);
process.stdin.resume().on("end", () => process.exit());
