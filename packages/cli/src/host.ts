import { Console } from "node:console";
import { basename } from "node:path";

import {
  type DevelopmentEvent,
  loadCompiler,
  type NodeReply,
  type NodeRunRequest,
  type ServeRequest,
  type TapRunRequest,
  type WatchRequest,
} from "@kit/transform-native";

import { type CodeLocation, importPlace } from "./code-location.ts";
import { ConfigModule } from "./config-module.ts";
import { EmbeddedDatabases } from "./database.ts";
import type { Supervisor } from "./dev/supervisor.ts";
import type { EventQueue } from "./dev/event-queue.ts";
import { EnvFile } from "./env-file.ts";
import { runNode } from "./node-run.ts";
import { plainData } from "./plain-data.ts";
import { describePlugins } from "./plugins/describe.ts";
import type { Plugin, PluginHooks } from "./plugins/plugin.ts";
import { runTap, type TapAnswer, type TapRequest } from "./plugins/run.ts";

/** Error for the user, if the host cannot execute a request of the command. */
export class HostError extends Error {
  /** Location in the project's code, if known. */
  readonly at: CodeLocation | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.at = importPlace(cause);
  }
}

/** Executes the requests of a command that need JavaScript. */
export class Host {
  /** Variables of the project's `.env`. */
  readonly env: EnvFile = new EnvFile();
  /** Embedded databases that the command has open. */
  readonly databases: EmbeddedDatabases = new EmbeddedDatabases();
  /** Plugins of the configuration that was loaded last. */
  #plugins: readonly Plugin[] = [];
  #received: NodeJS.Signals | undefined;
  #watching: EventQueue | undefined;
  #supervisor: Supervisor | undefined;
  readonly #config = new ConfigModule();
  /** Configuration that was loaded last. It is used again until one of its files changes. */
  #loaded: { readonly path: string; readonly value: unknown } | undefined;
  #abandoned = false;

  /** Signal that this process received while it ran Node. The command ends with the same signal. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /** True if a tap did not finish. Its timers or connections may keep the process alive. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /**
   * Imports a configuration file. A later call imports the file again if it or one of the project's modules that it imports has changed.
   *
   * @returns Its default export as plain data.
   * @throws {@link HostError} for the user if the file cannot be imported or its default export is invalid.
   */
  async loadConfig(path: string): Promise<unknown> {
    if (this.#loaded?.path === path && this.#config.isCurrent()) return this.#loaded.value;
    this.#loaded = undefined;
    try {
      const value = await this.#importConfig(path);
      this.#loaded = { path, value };
      return value;
    } finally {
      this.#watching?.watchAlso("configuration", this.#config.files);
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

  /** Runs a tap of a plugin of the configuration. The result contains the failure, if any. */
  async runTap(
    { plugin, hook, event, attached }: TapRunRequest,
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

  /** Runs Node until it exits; see `runNode`. */
  async runNode(run: NodeRunRequest): Promise<NodeReply> {
    const { received, ...end } = await runNode(run);
    this.#received = received;
    return end;
  }

  /** Watches files from now on. */
  async watch(request: WatchRequest): Promise<null> {
    if (this.#watching === undefined) {
      // Loaded on demand, because other commands do not need the module.
      const { EventQueue: Loaded } = await import("./dev/event-queue.ts");
      this.#watching = new Loaded();
    }
    this.#watching.watch(request);
    return null;
  }

  /** Waits for the next event. */
  async wait(): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    return this.#heard(await this.#watching.next());
  }

  /** Serves an application under `kit dev` until the next event. */
  async serve(request: ServeRequest): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    if (this.#supervisor === undefined) {
      const { Supervisor: Loaded } = await import("./dev/supervisor.ts");
      this.#supervisor = new Loaded(loadCompiler(), this.#watching);
    }
    return this.#heard(await this.#supervisor.serve(request));
  }

  #heard(event: DevelopmentEvent): DevelopmentEvent {
    // The user requested a complete rebuild. The configuration may have read files that kit does not know, so it is loaded again.
    if (event.kind === "rebuild") this.#loaded = undefined;
    return event;
  }

  /** Closes everything that was opened: the application before the database that it uses. */
  async close(): Promise<void> {
    this.#watching?.close();
    await this.#supervisor?.close();
    await this.databases.close();
  }
}

/** Redirects the console of a configuration file to standard error, because standard output is for the result of the command. */
function redirectConsole(): () => void {
  const original = globalThis.console;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  return () => {
    globalThis.console = original;
  };
}

/** Returns the message of an error, without the stack that Node adds to some errors. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  return error.name === "Error" || error.name === "SyntaxError"
    ? error.message
    : `${error.name}: ${error.message}`;
}
