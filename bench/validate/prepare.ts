/**
 * Builds what is measured: the validators and serializers that kit generates, the packages of the peers, and the code that typia generates.
 */
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

import { installPeers, peerVersions } from "../peers.ts";

const directory = import.meta.dirname;
const peers = `${directory}/peers`;

function run(file: string, args: readonly string[], cwd: string): void {
  execFileSync(file, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** Builds everything, except outputs that are newer than their sources. */
export function prepare(): void {
  run(process.execPath, ["../../../node_modules/@kit/cli/bin/kit.js", "build"], `${directory}/app`);
  installPeers(peers);
  const sources = [`${peers}/src/typia.ts`, `${directory}/app/src/bench.types.ts`, `${peers}/package.json`];
  const generated = `${peers}/generated/typia.ts`;
  if (!existsSync(generated) || sources.some((source) => isNewer(source, generated))) {
    const typia = "node_modules/typia/lib/executable/typia.js";
    const options = ["--input", "src", "--output", "generated", "--project", "tsconfig.json"];
    run(process.execPath, [typia, "generate", ...options], peers);
  }
}

/** Returns the versions of the measured libraries. */
export function versions(): Readonly<Record<string, string>> {
  return peerVersions(peers);
}

function isNewer(left: string, right: string): boolean {
  return statSync(left).mtimeMs > statSync(right).mtimeMs;
}
