/**
 * Debug sidecar: shows the activity of an application as JSON, and as a dashboard, on a separate port.
 *
 * @module
 */
export type { DebugOptions, DebugSecurityOptions, DebugStoreOptions } from "./options.ts";
export { type DebugPlugin, debugPlugin } from "./plugin.ts";
export type { SidecarAddress } from "./server.ts";
