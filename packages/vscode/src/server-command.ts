import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** Settings of the extension that select the program of the language server. */
export interface ServerSettings {
  /** Program that runs kit. */
  readonly node: string;
  /** Path of `bin/kit.js`, absolute or relative to the folder; empty to search `node_modules`. */
  readonly cli: string;
}

/** Program and arguments that start the language server of a folder. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Place of kit in a directory that has installed it. */
const installed = join("node_modules", "@kit", "cli", "bin", "kit.js");

/**
 * Returns the command that starts `kit lsp` for a folder: with the kit that the project has installed, so that the editor and the build
 * report the same. Returns `undefined` if kit is not installed in the folder or above.
 *
 * @example
 * serverCommand("/srv/app", { node: "node", cli: "" })
 * // { command: "node", args: ["/srv/app/node_modules/@kit/cli/bin/kit.js", "lsp"] }
 */
export function serverCommand(folder: string, { node, cli }: ServerSettings): ServerCommand | undefined {
  const path = cli === "" ? installedAbove(folder) : isAbsolute(cli) ? cli : join(folder, cli);
  if (path === undefined || !existsSync(path)) return undefined;
  return { command: node, args: [path, "lsp"] };
}

function installedAbove(folder: string): string | undefined {
  for (let directory = folder; ; directory = dirname(directory)) {
    const path = join(directory, installed);
    if (existsSync(path)) return path;
    if (dirname(directory) === directory) return undefined;
  }
}
