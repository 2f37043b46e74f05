/** Bare node:http, beside which the memory of an idle connection is measured. */
import { createServer } from "node:http";

const { gc } = globalThis as { gc?: () => void };
const server = createServer((request, response) => {
  if (request.url === "/held") gc?.();
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end("{}");
});
// Idle connections have to stay for as long as the measurement takes.
server.keepAliveTimeout = 600_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(JSON.stringify({ port: address.port }));
});
