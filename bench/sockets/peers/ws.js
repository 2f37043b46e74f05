/** Peer: the library `ws` on `node:http`. */
import { WebSocketServer } from "ws";

const server = new WebSocketServer({
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  perMessageDeflate: false,
});
server.on("connection", (socket) => {
  socket.on("message", (data) => socket.send(JSON.stringify(JSON.parse(data.toString()))));
});
process.stdin.resume().on("end", () => process.exit());
