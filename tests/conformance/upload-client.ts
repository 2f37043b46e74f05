// Client in its own process, so that its memory does not count as the server's. Sends an upload of the given size, with
// a pause after each part, and prints the response. With a target, the upload is a file of a multipart body.
//
//     node upload-client.ts PORT BYTES PAUSE_MS [TARGET NAME [MODE]]
//
// MODE is the value of the header `x-mode`.

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const [port, bytes, pauseMs] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const [target = "/notes", name, mode] = process.argv.slice(5);
const part = Buffer.alloc(256 * 1024, "x");
const begin =
  name === undefined
    ? ""
    : `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\ncontent-type: text/plain\r\n\r\n`;
const end = name === undefined ? "" : "\r\n--b--\r\n";
const type = name === undefined ? "" : "content-type: multipart/form-data; boundary=b\r\n";
const header = mode === undefined ? "" : `x-mode: ${mode}\r\n`;
const socket = connect(port, "127.0.0.1");
let text = "";
socket.on("data", (data) => (text += data.toString("latin1")));
// The server closes the connection as soon as it has the last byte, which may be before the last pause.
const closed = once(socket, "close");
await once(socket, "connect");
const length = bytes + begin.length + end.length;
socket.write(
  `POST ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${type}${header}content-length: ${length}\r\n\r\n`,
);
socket.write(begin);
for (let sent = 0; sent < bytes; sent += part.length) {
  if (!socket.write(part.subarray(0, bytes - sent))) await once(socket, "drain");
  if (pauseMs > 0) await sleep(pauseMs);
}
socket.write(end);
await closed;
process.stdout.write(text);
