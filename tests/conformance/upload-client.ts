// Client in its own process, so that its memory does not count as the server's. Sends an upload of the given size, with
// a pause after each part, and prints the response.
//
//     node upload-client.ts PORT BYTES PAUSE_MS

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const [port, bytes, pauseMs] = process.argv.slice(2).map(Number) as [number, number, number];
const part = Buffer.alloc(256 * 1024, "x");
const socket = connect(port, "127.0.0.1");
let text = "";
socket.on("data", (data) => (text += data.toString("latin1")));
// The server closes the connection as soon as it has the last byte, which may be before the last pause.
const closed = once(socket, "close");
await once(socket, "connect");
socket.write(`POST /notes HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${bytes}\r\n\r\n`);
for (let sent = 0; sent < bytes; sent += part.length) {
  if (!socket.write(part.subarray(0, bytes - sent))) await once(socket, "drain");
  if (pauseMs > 0) await sleep(pauseMs);
}
await closed;
process.stdout.write(text);
