import { existsSync, realpathSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

import type { CompiledApplication } from "@kit/types";

import { describeBriefly } from "../thrown.ts";
import { StartError } from "./start-error.ts";

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
    const reason = describeBriefly(cause).message.split("\n")[0];
    throw new StartError({
      what: `what \`kit build\` made cannot be loaded: ${reason}`,
      where: [`at ${path}`],
      help: "run `kit build` to make it anew",
      cause,
    });
  }
  return { compiled: checkVersion(loaded.default, path), where: path, directory: dirname(dirname(path)) };
}

/** Refuses what this runtime does not understand. */
export function checkVersion(value: unknown, where: string): CompiledApplication {
  const version: unknown = (value as Partial<CompiledApplication> | null | undefined)?.version;
  if (version === supportedVersion) return value as CompiledApplication;
  throw new StartError({
    what:
      version === undefined
        ? "what `kit build` made is no compiled application"
        : `the application was built by another version of kit: its format is ${String(version)}, and this version reads ${supportedVersion}`,
    where: [`at ${where}`],
    help: "run `kit build` to make it anew",
  });
}

function findCompiled(entry: string | undefined): string {
  const start = entry === undefined ? process.cwd() : dirname(realPath(entry));
  // A program that runs as JavaScript goes with compiled JavaScript, where both are there.
  const endings = entry !== undefined && /^\.[cm]?js$/.test(extname(entry)) ? [".js", ".ts"] : [".ts", ".js"];
  const isOfPackage = start.split(sep).includes("node_modules");
  const found = above(start, endings) ?? (isOfPackage ? above(process.cwd(), endings) : undefined);
  if (found !== undefined) return found;
  throw new StartError({
    what: "the project is not built: there is no .kit/routes/index.ts",
    where: [`in ${start} or above it`],
    help: "run `kit build` in the project's directory; a bundle gives createApp what was built: createApp({ compiled, … })",
  });
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
