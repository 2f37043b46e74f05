import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** Collects garbage. */
export const gc = runInNewContext("gc") as () => void;

/**
 * Stops V8 from doubling the part of the heap for new objects. Tests that measure the memory of their process call this function:
 * otherwise, the process grows by up to 32 MiB at a moment that depends on the load of the machine.
 */
export function steadyHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Returns the memory of this process in bytes after a garbage collection. Otherwise, V8 keeps up to 64 MiB of buffers that nothing
 * uses any more.
 */
export function memoryInUse(): number {
  gc();
  return process.memoryUsage.rss();
}
