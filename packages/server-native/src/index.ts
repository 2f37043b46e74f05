/**
 * kit's own HTTP server: an engine in Rust on Node's own event loop.
 *
 * @module
 */
export { nativeServer, type NativeServerHandle } from "./adapter.ts";
export type { NativeServerOptions } from "./options.ts";
export { workerNumber } from "./workers/plan.ts";
export type { NativeWorkersHandle } from "./workers/primary-server.ts";
export type { WorkerStatus } from "./workers/worker-slot.ts";
