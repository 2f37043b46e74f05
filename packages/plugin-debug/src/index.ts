/**
 * The debug sidecar: what an application does, as JSON on a port of its own.
 *
 * @module
 */
export type { DebugOptions, DebugSecurityOptions, DebugStoreOptions } from "./options.ts";
export { type DebugPlugin, debugPlugin } from "./plugin.ts";
export type { SidecarAddress } from "./server.ts";
