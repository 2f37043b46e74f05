/** Peer: `Bun.serve`, whose WebSockets are uWebSockets. */
Bun.serve({
  port: Number(process.env.PORT),
  hostname: "127.0.0.1",
  fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 426 })),
  websocket: {
    message: (socket, data) => void socket.send(JSON.stringify(JSON.parse(data))),
  },
});
process.stdin.resume().on("end", () => process.exit());
