import fs from "node:fs";

type Done = (error: null, written: number) => void;

/**
 * Drops log lines, or passes them to `onText`. The test runner reads its own protocol from this process's standard
 * output, and would interpret the lines as a part of it.
 */
export function quietStdout(onText: (text: string) => void = () => {}): void {
  const { write, writeSync } = fs;
  fs.write = ((descriptor: number, bytes: Uint8Array, done: Done) => {
    if (descriptor === 1) {
      onText(Buffer.from(bytes).toString());
      queueMicrotask(() => done(null, bytes.length));
    } else (write as (...given: unknown[]) => void)(descriptor, bytes, done);
  }) as typeof write;
  fs.writeSync = ((descriptor: number, bytes: Uint8Array) =>
    descriptor === 1 ? bytes.length : writeSync(descriptor, bytes)) as typeof writeSync;
}
