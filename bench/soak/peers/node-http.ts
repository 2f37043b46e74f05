/** Server on node:http without a framework. kit's memory per connection is compared with its memory. */
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const { gc } = globalThis as { gc?: () => void };
/** Yields bytes that never end. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(16 * 1024, 120);
}

const server = createServer((request, response) => {
  if (request.url === "/stream") {
    // Ignores the error that `pipeline` reports if the client disconnects.
    pipeline(Readable.from(pieces(), { objectMode: false }), response).catch(() => {});
    return;
  }
  if (request.url === "/memory") gc?.();
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end("{}");
});
// Idle connections stay open during the measurement.
server.keepAliveTimeout = 600_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(JSON.stringify({ port: address.port }));
});
