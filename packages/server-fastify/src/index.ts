/**
 * Runs kit on Fastify 5.
 *
 * @module
 */
export { fastifyServer, type FastifyServerOptions } from "./adapter.ts";
export { fastifyRequest } from "./exchange.ts";
