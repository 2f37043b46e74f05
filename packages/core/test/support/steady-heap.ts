import { setFlagsFromString } from "node:v8";

/**
 * Stops V8 from doubling the part of the heap for new objects. Tests that measure the memory of their process call this function:
 * otherwise, the process grows by up to 32 MiB at a moment that depends on the load of the machine.
 */
export function steadyHeap(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
