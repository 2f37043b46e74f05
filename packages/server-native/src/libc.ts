// This file is identical in @kit/server-native and @kit/transform-native. One package is for production, the other for
// builds, and neither may depend on the other. `tests/twins.test.ts` checks that the files are equal.
import { closeSync, openSync, readSync } from "node:fs";

/** Number of bytes that are read from the start of a program file. They contain the name of the dynamic loader. */
const beginning = 4096;

/**
 * Returns true if Node runs on the C library glibc, and false for musl. The name of the dynamic loader in Node's
 * program file tells which. If the file names no loader, `process.report` is used: it contains the library too, but
 * creating it takes a tenth of an application's start.
 */
export function isGlibc(program: string = process.execPath): boolean {
  return loaderIsGlibc(program) ?? reportIsGlibc();
}

/**
 * Returns true if a program file names the dynamic loader of glibc, and false if it names the loader of musl.
 * Returns `undefined` if the file cannot be read, or if the program is linked statically and names no loader.
 */
export function loaderIsGlibc(program: string): boolean | undefined {
  let text: string;
  try {
    const file = openSync(program, "r");
    try {
      const bytes = Buffer.alloc(beginning);
      text = bytes.toString("latin1", 0, readSync(file, bytes, 0, beginning, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  if (text.includes("/ld-musl-")) return false;
  return text.includes("/ld-linux") ? true : undefined;
}

function reportIsGlibc(): boolean {
  const { report } = process;
  // Without this option, creating the report looks up the host names of all connected peers.
  Object.assign(report, { excludeNetwork: true });
  const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}
