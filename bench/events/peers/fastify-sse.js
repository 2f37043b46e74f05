/** Peer: Fastify with `@fastify/sse`. */
import sse from "@fastify/sse";
import Fastify from "fastify";

const app = Fastify();
const readers = new Set();
await app.register(sse);
app.get("/events", { sse: true }, async (request, reply) => {
  readers.add(reply.sse);
  reply.sse.keepAlive();
  reply.sse.sendHeaders();
  reply.raw.flushHeaders();
  reply.sse.onClose(() => readers.delete(reply.sse));
});
app.post("/events", async (request, reply) => {
  for (const reader of readers) void reader.send({ event: "message", data: request.body });
  return reply.code(204).send();
});
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
process.stdin.resume().on("end", () => process.exit());
