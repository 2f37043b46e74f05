/** Subject: `@fastify/static` on Fastify. */
import fastifyStatic from "@fastify/static";
import Fastify from "fastify";

const app = Fastify();
await app.register(fastifyStatic, { root: process.env.STATIC_DIRECTORY });
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
process.stdin.resume().on("end", () => process.exit());
