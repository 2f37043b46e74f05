/**
 * Runs kit on Hono 4, on Node.
 *
 * @module
 */
export { honoContext } from "./exchange.ts";
export { type HonoServer, honoServer, type HonoServerOptions } from "./adapter.ts";
