import { existsSync, realpathSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

import type { CompiledApplication, CompiledEnvironment, CompiledJobs } from "@kit/types";

import { describeWithoutStack } from "../thrown.ts";
import { StartError } from "./start-error.ts";

/** Version of compiled applications that this runtime supports. */
const supportedVersion = 1;

/** Compiled application with its location. */
export interface FoundCompiled {
  readonly compiled: CompiledApplication;
  /** Path of the loaded module for error messages, or the phrase "the given `compiled`". */
  readonly location: string;
  /** Path of `.kit/`. `undefined` if the program passed the build to `createApp`. */
  readonly directory: string | undefined;
}

/**
 * Loads the output of `kit build`: `.kit/routes/index.ts` (or `.js`) in the directory of the entry module or in its
 * nearest parent directory. The entry module is the program that Node was started with. Without an entry module, the
 * search starts in the working directory. If the program belongs to a package, the working directory is searched too,
 * because a test runner is installed in a directory above all projects of a workspace.
 */
export async function loadCompiled(entry: string | undefined = process.argv[1]): Promise<FoundCompiled> {
  const path = findCompiled(entry);
  const compiled = checkVersion<CompiledApplication>(await load(path), path);
  return { compiled, location: path, directory: dirname(dirname(path)) };
}

/** Loads the reader of the environment variables that `kit build` generates beside the compiled application. */
export function loadEnvironment(): Promise<CompiledEnvironment> {
  return loadBeside<CompiledEnvironment>("environment", {
    problem: "the output of `kit build` has no type of the environment variables",
    help: "call `env<AppEnv>()` in a source file of the project, and run `kit build` again",
  });
}

/** Loads the functions for the data of jobs that `kit build` generates beside the compiled application. */
export function loadJobs(): Promise<CompiledJobs> {
  return loadBeside<CompiledJobs>("jobs", {
    problem: "the output of `kit build` has no type of the jobs",
    help: "call `createJobs<AppJobs>({ … })` in a source file of the project, and run `kit build` again",
  });
}

async function loadBeside<Compiled extends { readonly version: 1 }>(
  name: string,
  missing: { readonly problem: string; readonly help: string },
): Promise<Compiled> {
  const application = findCompiled(process.argv[1]);
  const path = join(dirname(dirname(application)), `${name}${extname(application)}`);
  if (existsSync(path)) return checkVersion<Compiled>(await load(path), path);
  throw new StartError({ ...missing, locations: [`there is no ${path}`] });
}

async function load(path: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(path).href)) as { default?: unknown }).default;
  } catch (cause) {
    const reason = describeWithoutStack(cause).message.split("\n")[0];
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND";
    throw new StartError({
      problem: `the output of \`kit build\` cannot be loaded: ${reason}`,
      locations: [`at ${path}`],
      help:
        isMissing && extname(path) === ".js"
          ? "run `kit build`, which compiles the project and copies the JavaScript of .kit/; tsc alone does not copy it"
          : "run `kit build` again",
      cause,
    });
  }
}

/** Returns the value if it is output of `kit build` of a version that this runtime supports. Throws otherwise. */
export function checkVersion<Compiled extends { readonly version: 1 } = CompiledApplication>(
  value: unknown,
  where: string,
): Compiled {
  const version: unknown = (value as Partial<Compiled> | null | undefined)?.version;
  if (version === supportedVersion) return value as Compiled;
  throw new StartError({
    problem:
      version === undefined
        ? "the output of `kit build` is not a compiled application"
        : `the application was built by another version of kit: the build has the format ${String(version)}, but this version of kit reads the format ${supportedVersion}`,
    locations: [`at ${where}`],
    help: "run `kit build` again",
  });
}

function findCompiled(entry: string | undefined): string {
  const start = entry === undefined ? process.cwd() : dirname(realPath(entry));
  // A JavaScript program uses compiled JavaScript if both versions exist.
  const endings = entry !== undefined && /^\.[cm]?js$/.test(extname(entry)) ? [".js", ".ts"] : [".ts", ".js"];
  const isOfPackage = start.split(sep).includes("node_modules");
  const found =
    findUpwards(start, endings) ?? (isOfPackage ? findUpwards(process.cwd(), endings) : undefined);
  if (found !== undefined) return found;
  throw new StartError({
    problem: "the project is not built: there is no .kit/routes/index.ts",
    locations: [`in ${start} or above it`],
    help: "run `kit build` in the project's directory; in a bundle, import the build and pass it to createApp: createApp({ compiled, … })",
  });
}

/** Returns the path of the compiled application in this directory or in its nearest parent directory. */
function findUpwards(start: string, endings: readonly string[]): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    for (const ending of endings) {
      const path = join(directory, ".kit", "routes", `index${ending}`);
      if (existsSync(path)) return path;
    }
    if (dirname(directory) === directory) return undefined;
  }
}

/**
 * Returns the path of the program with symbolic links resolved, because package managers start programs
 * through symbolic links.
 */
function realPath(entry: string): string {
  try {
    return realpathSync(entry);
  } catch {
    // Node was given a name without its extension, or the program is not a file.
    return resolve(entry);
  }
}
