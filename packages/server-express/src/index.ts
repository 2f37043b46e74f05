/**
 * Runs kit on Express 5.
 *
 * @module
 */
export { expressServer, type ExpressServerOptions } from "./adapter.ts";
