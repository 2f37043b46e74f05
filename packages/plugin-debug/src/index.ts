/**
 * Debug sidecar: shows the activity of an application on a separate port, as JSON and as a dashboard.
 *
 * @module
 */
export type { DebugOptions, DebugSecurityOptions, DebugStoreOptions } from "./options.ts";
export { type DebugPlugin, debugPlugin } from "./plugin.ts";
export type { SidecarAddress } from "./server.ts";
