// Stands in @kit/server-native and @kit/transform-native alike: the one is for production, the other for builds, and neither may
// need the other. `tests/twins.test.ts` holds that they are the same.
import { closeSync, openSync, readSync } from "node:fs";

/** The name of the dynamic loader stands at the beginning of a program. */
const beginning = 4096;

/**
 * Whether Node runs on glibc rather than musl, by the loader that its program names. Node's report knows it too, but makes it
 * together with all else that it says, which is a tenth of an application's start; it is asked where the program does not say.
 */
export function isGlibc(program: string = process.execPath): boolean {
  return loaderIsGlibc(program) ?? reportIsGlibc();
}

/** What the program says; nothing where it cannot be read or is linked statically. */
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
  // Without it the report looks up the names of every connection's peer.
  Object.assign(report, { excludeNetwork: true });
  const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}
