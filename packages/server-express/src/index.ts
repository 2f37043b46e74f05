/**
 * Runs kit on Express 5.
 *
 * @module
 */
export { type ExpressServer, expressServer, type ExpressServerOptions } from "./adapter.ts";
export { expressRequest } from "./exchange.ts";
