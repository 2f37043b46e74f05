/** Peer: Fastify, which writes to the response of `node:http`. */
import Fastify from "fastify";

const app = Fastify();
const readers = new Set();
app.get("/events", (request, reply) => {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  raw.flushHeaders();
  readers.add(raw);
  raw.on("close", () => readers.delete(raw));
});
app.post("/events", (request, reply) => {
  const text = `event: message\ndata: ${JSON.stringify(request.body)}\n\n`;
  for (const reader of readers) reader.write(text);
  return reply.code(204).send();
});
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
process.stdin.resume().on("end", () => process.exit());
