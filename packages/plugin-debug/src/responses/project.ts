import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import type { SidecarState } from "./sidecar-state.ts";
import { readArtifact } from "./artifacts.ts";

export async function middlewareOf({ host }: SidecarState): Promise<object> {
  return { middleware: await readArtifact<unknown[]>(host, "middleware.json") };
}

/** Properties of `package.json` that this module reads. */
interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Returns the project itself and every package of kit that it depends on, sorted by name. */
export async function dependenciesOf({ host }: SidecarState): Promise<object> {
  const root = host.projectRoot;
  const own = (await readManifest(root)) ?? {};
  const found = new Map<string, readonly string[]>();
  const open = kitPackages(own, true).map((name) => ({ name, from: root }));
  for (const { name, from } of open) {
    if (found.has(name)) continue;
    const directory = locate(name, from);
    const manifest = directory === undefined ? undefined : await readManifest(directory);
    const names = manifest === undefined ? [] : kitPackages(manifest, false);
    found.set(name, names);
    // Resolves the symbolic link of a workspace's package, so that its dependencies are searched from its real
    // directory.
    const at = directory === undefined ? from : await realpath(directory);
    for (const next of names) open.push({ name: next, from: at });
  }
  const others = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    dependencies: [
      { name: own.name ?? "(project)", dependsOn: kitPackages(own, true) },
      ...others.map(([name, dependsOn]) => ({ name, dependsOn })),
    ],
  };
}

function kitPackages(manifest: Manifest, withDevelopment: boolean): string[] {
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  const all = { ...dependencies, ...optionalDependencies, ...(withDevelopment && devDependencies) };
  return Object.keys(all)
    .filter((name) => name.startsWith("@kit/"))
    .toSorted();
}

function locate(name: string, from: string): string | undefined {
  for (let directory = from; ; directory = dirname(directory)) {
    const candidate = join(directory, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (dirname(directory) === directory) return undefined;
  }
}

async function readManifest(directory: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}

/** Hooks of a build in the order in which they run, as in `kit inspect build-pipeline`. */
const hooks = [
  ["beforeTransform", "add sources of types before kit parses the project"],
  ["afterTypeParse", "read or change the types"],
  ["afterValidators", "add validators to those that kit generates"],
  ["afterRouteTable", "read or change the routes"],
  ["emit", "add files to the output"],
  ["done", "clean up and report"],
] as const;
const compileStep = "compile";

/** Function that a plugin has registered for a hook. */
interface Tap {
  readonly hookName: string;
  readonly tapName: string;
  readonly order: number;
}

/**
 * Returns the hooks of the build in order, with the functions that plugins have registered for them. The
 * plugins are in `kit.config.ts`, which is a program. In production this program is not executed, so the
 * response contains no functions.
 */
export async function pipelineOf(state: SidecarState): Promise<object> {
  const taps = state.isProduction ? null : await tapsOf(state.host.projectRoot);
  return {
    hooks: hooks.map(([name, description], index) => ({ name, order: index + 1, description })),
    registeredTaps: taps,
    ...(taps === null && {
      note: "run `kit inspect build-pipeline` to list the taps: they are in the project's configuration, which the application does not load",
    }),
    outputDir: ".kit",
  };
}

async function tapsOf(root: string): Promise<Tap[] | null> {
  const file = ["ts", "js", "mjs"]
    .map((ending) => join(root, `kit.config.${ending}`))
    .find((path) => existsSync(path));
  if (file === undefined) return [];
  let config: { plugins?: unknown } | undefined;
  try {
    config = ((await import(pathToFileURL(file).href)) as { default?: { plugins?: unknown } }).default;
  } catch {
    return null;
  }
  const plugins = Array.isArray(config?.plugins) ? config.plugins.filter(isPlugin) : [];
  return [...hooks.map(([name]) => name), compileStep].flatMap((hook) =>
    plugins
      .flatMap((plugin) => {
        const tap = plugin.hooks[hook];
        return tap === undefined ? [] : [{ name: plugin.name, stage: stageOf(tap) }];
      })
      // The sort is stable, so functions with the same stage stay in the order of the list.
      .toSorted((a, b) => a.stage - b.stage)
      .map(({ name }, index) => ({ hookName: hook, tapName: name, order: index + 1 })),
  );
}

interface BuildPlugin {
  readonly name: string;
  readonly hooks: Readonly<Record<string, unknown>>;
}

function isPlugin(value: unknown): value is BuildPlugin {
  const { name, hooks: taps } = (value ?? {}) as Partial<BuildPlugin>;
  return typeof name === "string" && typeof taps === "object" && taps !== null;
}

function stageOf(tap: unknown): number {
  const { stage } = tap as { stage?: unknown };
  return typeof stage === "number" ? stage : 0;
}
