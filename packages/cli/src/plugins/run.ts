import { join } from "node:path";

import { handlerOf } from "./describe.ts";
import type {
  AfterRouteTableEvent,
  AfterTypeParseEvent,
  AfterValidatorsEvent,
  BeforeTransformEvent,
  BuildContext,
  CompileEvent,
  EmitEvent,
  Plugin,
  PluginFile,
  PluginHooks,
} from "./plugin.ts";

/** What the command says with a tap: the build, and what the hook is about. */
export interface TapRequest {
  readonly build: {
    readonly root: string;
    readonly mode: BuildContext["mode"];
    readonly outputDir: string;
    readonly distDir: string;
    readonly plugin: string;
  };
  readonly event: Record<string, unknown>;
}

/** What goes back: files to watch, and what the tap did. */
export interface TapAnswer {
  readonly watch: readonly string[];
  readonly result: unknown;
}

/** An event without what all of them have, and what the tap did, once it has ended. */
interface Stage {
  readonly event: object;
  readonly result: () => unknown;
}

/** Runs one tap and collects what it does. */
export async function runTap(
  plugin: Plugin,
  hook: keyof PluginHooks,
  { build, event }: TapRequest,
): Promise<TapAnswer> {
  const watch: string[] = [];
  const context: BuildContext = {
    root: build.root,
    mode: build.mode,
    outputDir: build.outputDir,
    distDir: build.distDir,
    cacheDir: join(build.root, build.outputDir, ".cache", build.plugin.replaceAll("/", "+")),
    info: (message) => say(`[${build.plugin}] ${message}`),
    warn: (message) => say(`warning: [${build.plugin}] ${message}`),
    watch: (path) => void watch.push(path),
  };
  const stage = STAGES[hook](event);
  await handlerOf(plugin.hooks[hook])?.({ ...stage.event, build: context });
  return { watch, result: stage.result() };
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

type Own<Event> = Omit<Event, "build">;

const STAGES: Readonly<Record<keyof PluginHooks, (event: Record<string, unknown>) => Stage>> = {
  beforeTransform(event) {
    const types: (string | PluginFile)[] = [];
    const routes: (string | PluginFile)[] = [];
    const own: Partial<Own<BeforeTransformEvent>> = {
      addTypes: (source) => void types.push(source),
      addRoutes: (source) => void routes.push(source),
    };
    return { event: { ...event, ...own }, result: () => ({ types, routes }) };
  },
  afterTypeParse(event) {
    const { program } = event as unknown as Own<AfterTypeParseEvent>;
    const before = JSON.stringify(program);
    return {
      event,
      result: () => ({ program: JSON.stringify(program) === before ? null : program }),
    };
  },
  afterValidators(event) {
    const added: PluginFile[] = [];
    const replaced: { type: string; text: string }[] = [];
    const own: Partial<Own<AfterValidatorsEvent>> = {
      addValidator: (file) => void added.push(file),
      replaceValidator: (type, text) => void replaced.push({ type, text }),
    };
    return { event: { ...event, ...own }, result: () => ({ added, replaced }) };
  },
  afterRouteTable(event) {
    const { routes } = event as unknown as Own<AfterRouteTableEvent>;
    const before = JSON.stringify(routes);
    return { event, result: () => ({ routes: JSON.stringify(routes) === before ? null : routes }) };
  },
  emit(event) {
    const files: PluginFile[] = [];
    const projectFiles: (PluginFile & { onlyIfMissing: boolean })[] = [];
    const own: Partial<Own<EmitEvent>> = {
      addFile: (file) => void files.push(file),
      addProjectFile: (file, options) =>
        void projectFiles.push({ ...file, onlyIfMissing: options?.onlyIfMissing ?? false }),
    };
    return { event: { ...event, ...own }, result: () => ({ files, projectFiles }) };
  },
  compile(event) {
    let handled = false;
    const own: Partial<Own<CompileEvent>> = { handle: () => void (handled = true) };
    return { event: { ...event, ...own }, result: () => ({ handled }) };
  },
  done(event) {
    return { event, result: () => ({}) };
  },
};
