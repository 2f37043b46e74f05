import { Console } from "node:console";
import { basename } from "node:path";

import {
  type DevelopmentEvent,
  loadCompiler,
  type NodeEnd,
  type NodeRunRequest,
  type ServeRequest,
  type TapQuestion,
  type WatchRequest,
} from "@kit/transform-native";

import { type CodePlace, importPlace } from "./code-place.ts";
import { ConfigModule } from "./config-module.ts";
import { EmbeddedDatabases } from "./database.ts";
import type { Supervisor } from "./dev/supervisor.ts";
import type { Watching } from "./dev/watching.ts";
import { EnvFile } from "./env-file.ts";
import { runNode } from "./node-run.ts";
import { plainData } from "./plain-data.ts";
import { describePlugins } from "./plugins/describe.ts";
import type { Plugin, PluginHooks } from "./plugins/plugin.ts";
import { runTap, type TapAnswer, type TapRequest } from "./plugins/run.ts";

/** Why a host could not do its part, in words for the user. */
export class HostError extends Error {
  /** Where in the project's code, where that is known. */
  readonly at: CodePlace | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.at = importPlace(cause);
  }
}

/** Does for a command what only JavaScript can do. */
export class Host {
  /** Variables of the project's `.env`. */
  readonly env: EnvFile = new EnvFile();
  /** The embedded databases of the command. */
  readonly databases: EmbeddedDatabases = new EmbeddedDatabases();
  /** Of the configuration that was loaded last. */
  #plugins: readonly Plugin[] = [];
  #received: NodeJS.Signals | undefined;
  #watching: Watching | undefined;
  #supervisor: Supervisor | undefined;
  readonly #config = new ConfigModule();
  /** What the configuration came to, for as long as no text of it changes. */
  #loaded: { readonly path: string; readonly value: unknown } | undefined;
  #abandoned = false;

  /** The signal that ended what the command waited for, and that is to end the command. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /** Whether a tap never came to its end: what it began may keep the process running. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /**
   * Imports a configuration file. Once it was, it is imported again where it or a module of the project that it imports changed.
   *
   * @returns Its default export as plain data.
   * @throws A {@link HostError} for the user where it cannot be imported or holds something else.
   */
  async loadConfig(path: string): Promise<unknown> {
    if (this.#loaded?.path === path && this.#config.isCurrent()) return this.#loaded.value;
    this.#loaded = undefined;
    try {
      const value = await this.#importConfig(path);
      this.#loaded = { path, value };
      return value;
    } finally {
      this.#watching?.also("configuration", this.#config.files);
    }
  }

  async #importConfig(path: string): Promise<unknown> {
    const name = basename(path);
    const restore = redirectConsole();
    let module: { default?: unknown };
    try {
      module = await this.#config.load(path);
    } catch (error) {
      throw new HostError(`${name} cannot be loaded: ${describe(error)}`, error);
    } finally {
      restore();
    }
    if (module.default === undefined) {
      throw new HostError(`${name} has no default export; write \`export default defineConfig({ … })\``);
    }
    try {
      const config: unknown = await module.default;
      if (typeof config !== "object" || config === null || !("plugins" in config)) return plainData(config);
      const { plugins, ...rest } = config;
      if (!Array.isArray(plugins)) return plainData(config);
      const described = describePlugins(plugins);
      this.#plugins = plugins as readonly Plugin[];
      return plainData({ ...rest, plugins: described });
    } catch (error) {
      throw new HostError(`${name}: ${describe(error)}`, error);
    }
  }

  /** Runs a tap of a plugin of the configuration. How it failed, where it did, is part of the answer. */
  async runTap(
    { plugin, hook, event, attached }: TapQuestion,
    attachment: () => string | null,
  ): Promise<TapAnswer> {
    const found = this.#plugins[plugin];
    if (found === undefined) throw new Error("the configuration was not loaded");
    const restore = redirectConsole();
    try {
      const request = { ...(event as TapRequest), attached: attached ?? undefined, attachment };
      const answer = await runTap(found, hook as keyof PluginHooks, request);
      this.#abandoned ||= answer.failure?.kind === "unsettled";
      return answer;
    } finally {
      restore();
    }
  }

  /** Runs Node until it ends; see `runNode`. */
  async runNode(run: NodeRunRequest): Promise<NodeEnd> {
    const { received, ...end } = await runNode(run);
    this.#received = received;
    return end;
  }

  /** Looks at files from now on. */
  async watch(request: WatchRequest): Promise<null> {
    if (this.#watching === undefined) {
      // No other command pays for it.
      const { Watching: Loaded } = await import("./dev/watching.ts");
      this.#watching = new Loaded();
    }
    this.#watching.watch(request);
    return null;
  }

  /** Waits until something is to be done. */
  async wait(): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    return this.#heard(await this.#watching.next());
  }

  /** Serves an application under `kit dev` until something is to be done. */
  async serve(request: ServeRequest): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    if (this.#supervisor === undefined) {
      const { Supervisor: Loaded } = await import("./dev/supervisor.ts");
      this.#supervisor = new Loaded(loadCompiler(), this.#watching);
    }
    return this.#heard(await this.#supervisor.serve(request));
  }

  #heard(event: DevelopmentEvent): DevelopmentEvent {
    // Whoever asks for it wants all of it: a configuration may have read what nobody knows of.
    if (event.kind === "rebuild") this.#loaded = undefined;
    return event;
  }

  /** Gives back what was opened: the application before the database that it uses. */
  async close(): Promise<void> {
    this.#watching?.close();
    await this.#supervisor?.close();
    await this.databases.close();
  }
}

/** Standard output belongs to the command's result: what a configuration file prints goes to standard error. */
function redirectConsole(): () => void {
  const original = globalThis.console;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  return () => {
    globalThis.console = original;
  };
}

/** The message of an error, without the stack that Node puts into some. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  return error.name === "Error" || error.name === "SyntaxError"
    ? error.message
    : `${error.name}: ${error.message}`;
}
