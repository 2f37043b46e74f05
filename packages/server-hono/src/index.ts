/**
 * Runs kit on Hono 4, on Node.
 *
 * @module
 */
export { honoServer, type HonoServerOptions } from "./adapter.ts";
