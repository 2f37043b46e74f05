import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { isGlibc } from "./libc.ts";

/** The platforms that kit's compiler is built for, as their addons are named. */
const PLATFORMS: readonly string[] = [
  "linux-x64-gnu",
  "linux-x64-musl",
  "linux-arm64-gnu",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
];

/** What the search depends on, so that tests can stand on any machine. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Whether the C library is musl; asked only on Linux. */
  readonly musl: () => boolean;
  /** Whether a file exists. */
  readonly exists: (path: string) => boolean;
  /** The directory of the addons that were built here. */
  readonly directory: string;
  /** Where a package's main file is; fails where the package is not installed. */
  readonly resolve: (name: string) => string;
}

/**
 * The path of this platform's addon.
 *
 * @throws An `Error` that says what to do where there is none.
 */
export function addonPath(machine: Machine = thisMachine()): string {
  const name = platformName(machine);
  if (!PLATFORMS.includes(name)) {
    throw new Error(
      `kit's compiler does not run on ${name} yet. It runs on ${PLATFORMS.join(", ")}. ` +
        "Build the project on one of these; what it makes runs wherever Node does.",
    );
  }
  const path = `${machine.directory}/kit-compiler.${name}.node`;
  if (machine.exists(path)) {
    return path;
  }
  const addon = `@kit/transform-native-${name}`;
  try {
    return machine.resolve(addon);
  } catch (cause) {
    throw new Error(
      `kit's compiler is not there: ${addon} is not installed. npm installs it with @kit/transform-native, unless optional ` +
        "dependencies are left out (`--omit=optional`) or node_modules was made on another machine: run `npm install` here. " +
        "In kit's own repository run `cargo xtask addons`.",
      { cause },
    );
  }
}

function platformName(machine: Machine): string {
  const name = `${machine.platform}-${machine.arch}`;
  if (machine.platform !== "linux") {
    return name;
  }
  return `${name}-${machine.musl() ? "musl" : "gnu"}`;
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    arch: process.arch,
    musl: () => !isGlibc(),
    exists: existsSync,
    directory: fileURLToPath(new URL("../native", import.meta.url)),
    resolve: createRequire(import.meta.url).resolve,
  };
}
