import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { isGlibc } from "./libc.ts";

/** Platforms that kit's compiler is built for, in the form in which the file names of addons contain them. */
const PLATFORMS: readonly string[] = [
  "linux-x64-gnu",
  "linux-x64-musl",
  "linux-arm64-gnu",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
];

/** Properties of the machine that decide which addon is loaded. Tests pass the properties of other machines. */
export interface PlatformInfo {
  readonly platform: string;
  readonly arch: string;
  /** Returns true if the C library is musl. Called only on Linux. */
  readonly musl: () => boolean;
  /** Returns true if a file exists. */
  readonly exists: (path: string) => boolean;
  /** Directory of locally built addons. */
  readonly directory: string;
  /** Returns the path of a package's main file. Throws if the package is not installed. */
  readonly resolve: (name: string) => string;
}

/**
 * Returns the path of the addon for a platform: the locally built addon, or if there is none, the addon of
 * the installed package.
 *
 * @example
 * ```ts
 * const compiler = require(addonPath());
 * ```
 * @throws {Error} If there is no addon. The message explains what to do.
 */
export function addonPath(machine: PlatformInfo = currentPlatform()): string {
  const name = platformName(machine);
  if (!PLATFORMS.includes(name)) {
    throw new Error(
      `kit's compiler does not run on ${name} yet. It runs on ${PLATFORMS.join(", ")}. ` +
        "Build the project on one of these; the compiled project runs on every platform of Node.",
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
      `kit's compiler is missing: ${addon} is not installed. npm installs it with @kit/transform-native, unless optional ` +
        "dependencies are left out (`--omit=optional`) or node_modules was made on another machine: run `npm install` here. " +
        "In kit's own repository run `cargo xtask addons`.",
      { cause },
    );
  }
}

function platformName(machine: PlatformInfo): string {
  const name = `${machine.platform}-${machine.arch}`;
  if (machine.platform !== "linux") {
    return name;
  }
  return `${name}-${machine.musl() ? "musl" : "gnu"}`;
}

function currentPlatform(): PlatformInfo {
  return {
    platform: process.platform,
    arch: process.arch,
    musl: () => !isGlibc(),
    exists: existsSync,
    directory: fileURLToPath(new URL("../native", import.meta.url)),
    resolve: createRequire(import.meta.url).resolve,
  };
}
