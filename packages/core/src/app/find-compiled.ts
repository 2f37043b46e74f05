import { existsSync, realpathSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

import type { CompiledApplication } from "@kit/types";

/** The interface of compiled applications that this runtime serves. */
const supportedVersion = 1;

/** A compiled application and where it was found. */
export interface FoundCompiled {
  readonly compiled: CompiledApplication;
  /** For messages. */
  readonly where: string;
  /** `.kit/`, where it was found on disk. */
  readonly directory: string | undefined;
}

/**
 * Loads what `kit build` made: `.kit/routes/index.ts` (or `.js`) in the nearest directory at or above the entry module, which
 * is the program that Node was started with; where it was started without one, the working directory. That is looked at too where
 * the program belongs to a package, as runners of tests do: they lie above all projects of a workspace.
 */
export async function loadCompiled(entry: string | undefined = process.argv[1]): Promise<FoundCompiled> {
  const path = findCompiled(entry);
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (cause) {
    throw new Error(`${path} could not be loaded; run \`kit build\` to make it anew`, { cause });
  }
  return { compiled: checkVersion(loaded.default, path), where: path, directory: dirname(dirname(path)) };
}

/** Refuses what this runtime does not understand. */
export function checkVersion(value: unknown, where: string): CompiledApplication {
  const version: unknown = (value as Partial<CompiledApplication> | null | undefined)?.version;
  if (version === supportedVersion) return value as CompiledApplication;
  throw new Error(
    version === undefined
      ? `${where} is no compiled application; run \`kit build\` to make it anew`
      : `${where} was made by another version of kit (its format is ${String(version)}, this runtime reads ${supportedVersion}); run \`kit build\``,
  );
}

function findCompiled(entry: string | undefined): string {
  const start = entry === undefined ? process.cwd() : dirname(realPath(entry));
  // A program that runs as JavaScript goes with compiled JavaScript, where both are there.
  const endings = entry !== undefined && /^\.[cm]?js$/.test(extname(entry)) ? [".js", ".ts"] : [".ts", ".js"];
  const isOfPackage = start.split(sep).includes("node_modules");
  const found = above(start, endings) ?? (isOfPackage ? above(process.cwd(), endings) : undefined);
  if (found !== undefined) return found;
  throw new Error(
    `There is no .kit/routes/index.ts in ${start} or above it. Run \`kit build\` in the project's directory, or give createApp what it made: createApp({ compiled, … })`,
  );
}

/** The application of the nearest directory at or above this one. */
function above(start: string, endings: readonly string[]): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    for (const ending of endings) {
      const path = join(directory, ".kit", "routes", `index${ending}`);
      if (existsSync(path)) return path;
    }
    if (dirname(directory) === directory) return undefined;
  }
}

/** Package managers start programs through links. */
function realPath(entry: string): string {
  try {
    return realpathSync(entry);
  } catch {
    // Node was given a name without its ending, or the program is not a file.
    return resolve(entry);
  }
}
