// Programs that check deployment files, in a virtual environment of Python.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Directory of the virtual environment. */
export const tools: string = resolve(import.meta.dirname, "../../target/deploy-tools");

/** Returns the path of a program, or `undefined` if it is not installed. */
export function toolPath(name: string): string | undefined {
  const path = join(tools, "bin", name);
  return existsSync(path) ? path : undefined;
}

/** Reason to skip a test whose program is not installed. */
export const howToInstall = "run `node tests/deploy/install.ts` first";
