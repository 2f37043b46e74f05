import fs from "node:fs";

type Done = (error: null, written: number) => void;
type Parameters = readonly [bytes: Uint8Array, ...unknown[]];

/**
 * Drops log lines, or passes them to `onText`. The test runner may read its own protocol from this process's standard
 * output, and would interpret the lines as a part of it.
 */
export function quietStdout(onText: (text: string) => void = () => {}): void {
  const write = fs.write as (descriptor: number, ...given: unknown[]) => void;
  const writeSync = fs.writeSync as (descriptor: number, ...given: unknown[]) => number;
  fs.write = ((descriptor: number, ...given: Parameters) => {
    // The report of the test runner may be a file of this process, so other descriptors get all parameters.
    if (descriptor !== 1) return write(descriptor, ...given);
    const [bytes] = given;
    onText(Buffer.from(bytes).toString());
    queueMicrotask(() => (given.at(-1) as Done)(null, bytes.length));
  }) as typeof fs.write;
  fs.writeSync = ((descriptor: number, ...given: Parameters) =>
    descriptor === 1 ? given[0].length : writeSync(descriptor, ...given)) as typeof fs.writeSync;
}
