import { Console } from "node:console";
import { basename } from "node:path";

import {
  type DevelopmentEvent,
  type InputReply,
  loadCompiler,
  type NodeReply,
  type NodeRunRequest,
  type ServeRequest,
  type TapRunRequest,
  type WatchRequest,
} from "@kit/transform-native";

import { importPlace } from "./code-location.ts";
import { ConfigModule } from "./config-module.ts";
import { EmbeddedDatabases } from "./database.ts";
import type { RustSupervisor } from "./dev/rust-supervisor.ts";
import type { Supervisor } from "./dev/supervisor.ts";
import type { EventQueue } from "./dev/event-queue.ts";
import { EnvFile } from "./env-file.ts";
import { type Ended, runNode } from "./node-run.ts";
import { StandardInput } from "./standard-input.ts";
import { plainData } from "./plain-data.ts";
import { describePlugins } from "./describe-plugins.ts";
import type { Plugin, PluginHooks } from "./plugins/plugin.ts";
import { ProtocolGuard } from "./protocol-guard.ts";
import type { CodeLocation } from "./source-imports/syntax-place.ts";
import { isUnsupportedSyntax, syntaxAdvice } from "./source-imports/unsupported-syntax.ts";
import { runTap, type TapAnswer, type TapRequest } from "./run-tap.ts";

/** Error for the user: a request of the command cannot be executed. */
export class HostError extends Error {
  /** Location in the project's code, if known. */
  readonly at: CodeLocation | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.at = importPlace(cause);
  }
}

/** Signals that would end a command before it has removed its temporary files. */
const HELD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Executes the requests of a command that need JavaScript, such as calling a plugin. */
export class Host {
  /** Variables from the project's `.env`. */
  readonly env: EnvFile = new EnvFile();
  /** Embedded databases that the command uses. */
  readonly databases: EmbeddedDatabases = new EmbeddedDatabases();
  /** Plugins of the configuration that was loaded last. */
  #plugins: readonly Plugin[] = [];
  #received: NodeJS.Signals | undefined;
  /** First signal that arrived while signals do not end this process. */
  #held: NodeJS.Signals | undefined;
  /** Program that runs with Node while the command reads standard input. */
  #node: { readonly running: Promise<Ended>; readonly stop: AbortController } | undefined;
  #watching: EventQueue | undefined;
  #supervisor: Supervisor | RustSupervisor | undefined;
  #input: StandardInput | undefined;
  #guard: ProtocolGuard | undefined;
  /** Error of the last import of a configuration, until one of its files changes. */
  #failed: { readonly path: string; readonly error: unknown } | undefined;
  readonly #config = new ConfigModule();
  /** Configuration that was loaded last. The configuration is used again until one of its files changes. */
  #loaded: { readonly path: string; readonly value: unknown } | undefined;
  #abandoned = false;
  /** Function of a plugin that still runs, although the command did not wait for its end. */
  #unfinished: Promise<unknown> = Promise.resolve();

  /** Signal that this process has received while it ran Node. kit ends by the same signal. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /** True if a function of a plugin did not finish. Its timers or connections may keep the process running. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /**
   * Imports a configuration file. A later call imports it again only if the file, or a module of the project that it imports, has changed.
   *
   * @returns Its default export as plain data.
   * @throws {@link HostError} for the user if the file cannot be imported or its default export is invalid.
   */
  async loadConfig(path: string): Promise<unknown> {
    if (this.#loaded?.path === path && this.#config.isCurrent()) return this.#loaded.value;
    // A configuration that never finishes loading would delay each answer to an editor.
    if (this.#guard !== undefined && this.#failed?.path === path && this.#config.isCurrent())
      throw this.#failed.error;
    this.#loaded = undefined;
    try {
      const value = await this.#importConfig(path);
      this.#loaded = { path, value };
      return value;
    } catch (error) {
      this.#failed = { path, error };
      throw error;
    } finally {
      this.#watching?.watchAlso("configuration", this.#config.files);
    }
  }

  async #importConfig(path: string): Promise<unknown> {
    const name = basename(path);
    const restore = redirectConsole();
    let module: { default?: unknown };
    try {
      const loading = this.#config.load(path);
      module = await (this.#guard?.limited(loading, name) ?? loading);
    } catch (error) {
      throw new HostError(`${name} cannot be loaded: ${describe(error)}`, error);
    } finally {
      restore();
    }
    if (module.default === undefined) {
      throw new HostError(`${name} has no default export; write \`export default defineConfig({ … })\``);
    }
    try {
      const exported = Promise.resolve(module.default);
      const config: unknown = await (this.#guard?.limited(exported, name) ?? exported);
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

  /**
   * Calls a plugin's function for a hook. The reply contains its result, or its failure. The reply is `null` if bytes arrived on standard
   * input before the function ended, and the request asks for that.
   */
  async runTap(request: TapRunRequest, attachment: () => string | null): Promise<TapAnswer | null> {
    const input = request.untilInput === true ? this.#input : undefined;
    if (input === undefined) {
      await this.#unfinished;
      return await this.#runTap(request, attachment);
    }
    const arrival = input.arrival();
    const interrupted = arrival.promise.then(() => null);
    try {
      // Plugins do not expect that a function runs twice at the same time.
      const earlier = await Promise.race([this.#unfinished.then(() => true), interrupted]);
      if (earlier === null) return null;
      let isOver = false;
      const running = this.#runTap(request, () => {
        if (isOver) throw new Error("the editor has sent an edit, so that this build was stopped");
        return attachment();
      });
      const answer = await Promise.race([running, interrupted]);
      if (answer === null) {
        isOver = true;
        this.#unfinished = running.catch(() => undefined);
      }
      return answer;
    } finally {
      arrival.stop();
    }
  }

  async #runTap(
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

  /** Runs a program with Node until it exits, and remembers the signal that this process has received; see `runNode`. */
  async runNode(run: NodeRunRequest): Promise<NodeReply> {
    const { received, ...end } = await runNode(run, { ownsInput: this.#input === undefined });
    this.#received = received;
    return end;
  }

  /**
   * Runs a program with Node. Resolves to `null` as soon as bytes arrive on standard input: then call this function again with `null`, or
   * {@link stopNode}.
   */
  async runNodeUntilInput(run: NodeRunRequest | null): Promise<NodeReply | null> {
    if (run !== null) {
      const stop = new AbortController();
      const running = runNode(run, { stop: stop.signal, ownsInput: false });
      // The error is reported by the next call.
      running.catch(() => undefined);
      this.#node = { running, stop };
    }
    if (this.#node === undefined) throw new Error("Node does not run");
    const { running } = this.#node;
    const input = this.#openInput();
    // The command sees the end of the stream once. After that, nothing can arrive.
    if (run === null && !input.hasMore) return this.#nodeEnded(await running);
    const arrival = input.arrival();
    try {
      const end = await Promise.race([running, arrival.promise.then(() => null)]);
      return end === null ? null : this.#nodeEnded(end);
    } finally {
      arrival.stop();
    }
  }

  #nodeEnded({ received, ...reply }: Ended): NodeReply {
    this.#node = undefined;
    this.#received = received;
    return reply;
  }

  /** Ends the program of {@link runNodeUntilInput}, and waits until it has ended. */
  async stopNode(): Promise<null> {
    this.#node?.stop.abort();
    await this.#node?.running.catch(() => undefined);
    this.#node = undefined;
    return null;
  }

  /** Starts watching files. */
  async watch(request: WatchRequest): Promise<null> {
    if (this.#watching === undefined) {
      // Loaded on demand, because other commands do not need the module.
      const { EventQueue: Loaded } = await import("./dev/event-queue.ts");
      this.#watching = new Loaded();
    }
    this.#watching.watch(request);
    return null;
  }

  /** Resolves to the next event, such as a changed file. */
  async wait(): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    return this.#heard(await this.#watching.next());
  }

  /** Runs an application under `kit dev`. Resolves to the next event. */
  async serve(request: ServeRequest): Promise<DevelopmentEvent> {
    if (this.#watching === undefined) throw new Error("nothing is watched");
    if (this.#supervisor === undefined && request.rust !== null) {
      const { RustSupervisor: Loaded } = await import("./dev/rust-supervisor.ts");
      this.#supervisor = new Loaded(this.#watching);
    }
    if (this.#supervisor === undefined) {
      const { Supervisor: Loaded } = await import("./dev/supervisor.ts");
      this.#supervisor = new Loaded(loadCompiler(), this.#watching);
    }
    return this.#heard(await this.#supervisor.serve(request));
  }

  /** Keeps signals from ending this process. After the release, the process ends by the first signal that has arrived meanwhile. */
  holdSignals(hold: boolean): null {
    for (const signal of HELD) {
      if (hold) process.on(signal, this.#hold);
      else process.off(signal, this.#hold);
    }
    const held = this.#held;
    this.#held = undefined;
    if (!hold && held !== undefined) process.kill(process.pid, held);
    return null;
  }

  readonly #hold = (signal: NodeJS.Signals): void => {
    this.#held ??= signal;
  };

  /** Ends standard input as soon as a process has ended. */
  endInputWith(process: number): null {
    this.#openInput().endWith(process);
    return null;
  }

  /** Reads from standard input. If no bytes have arrived, waits for bytes or the end, but at most `waitMs`. */
  read(waitMs: number): Promise<InputReply> {
    return this.#openInput().read(waitMs);
  }

  #openInput(): StandardInput {
    this.#input ??= new StandardInput(process.stdin);
    this.#guard ??= new ProtocolGuard();
    return this.#input;
  }

  #heard(event: DevelopmentEvent): DevelopmentEvent {
    // The user requested a complete rebuild. The configuration may have read files that kit does not know about, so it is imported again.
    if (event.kind === "rebuild") this.#loaded = undefined;
    return event;
  }

  /** Closes everything that is open. The application is closed before the database that it uses. */
  async close(): Promise<void> {
    this.#watching?.close();
    await this.stopNode();
    this.#input?.close();
    this.#guard?.end();
    await this.#supervisor?.close();
    await this.databases.close();
  }
}

/**
 * Makes the console of a configuration file write to standard error, because standard output is for the result of the command. Returns a
 * function that restores the console.
 */
function redirectConsole(): () => void {
  const original = globalThis.console;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  return () => {
    globalThis.console = original;
  };
}

/** Returns the message of an error. The name of the error is included if it says more than `Error`. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  if (isUnsupportedSyntax(error)) return `${error.message}; ${syntaxAdvice}`;
  return error.name === "Error" || error.name === "SyntaxError"
    ? error.message
    : `${error.name}: ${error.message}`;
}
