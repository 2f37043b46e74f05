import type {
  CompiledApplication,
  ErrorRecord,
  LifecycleTrace,
  ListenAddress,
  RequestHistory,
  RequestObserver,
} from "@kit/types";

import type { ErrorFields, FailedRequest } from "../error-middleware.ts";
import type { LogEntry, Logger } from "../logging/log-entry.ts";
import { isThenable } from "../thenable.ts";
import type { SchemaChange } from "./schema-watch.ts";

/** What a plugin is told of its application. */
export interface PluginHost {
  /** The server adapter's name. */
  readonly serverAdapter: string;
  /** What the server adapter runs on: `hyper`, `express 5.3`. */
  readonly platform: string;
  readonly compiled: CompiledApplication;
  readonly log: Logger;
  readonly isDevelopment: boolean;
  /** The directory that the paths of `compiled` start from. */
  readonly projectRoot: string;
  /** The requests under way and the last ones; nothing where no plugin has {@link Plugin.observe}. */
  readonly requests: RequestHistory | null;
  /** All that can be told of a failure; for {@link Plugin.onError}. It looks for files and makes the stack's text, so it is not for free. Never throws. */
  describeError(error: unknown, request: RequestFailure): ErrorRecord;
  /** Plain JSON data for any value: bounded, and redacted as the log is. Never throws. */
  toLoggable(value: unknown): unknown;
  /**
   * Hides what the log hides, and what further patterns name, which are written as those of `logging.redact`.
   *
   * @throws {TypeError} that names the pattern which is none.
   */
  redactor(patterns: readonly string[]): PluginRedactor;
  /** How many connections the server has open; nothing where the adapter does not tell. */
  connections(): number | null;
  /** The number of this process among those that serve the application, from 1; nothing where it is the only one. */
  readonly worker: number | null;
  /** What the processes that serve the application together have in common, and nobody else can guess; nothing where this is the only one. */
  readonly workerGroup: string | null;
}

/** What {@link PluginHost.redactor} makes. */
export interface PluginRedactor {
  /** Whether the value of a property is hidden. `path` holds the names that lead to it: `["user", "password"]`. */
  hides(path: readonly string[]): boolean;
  /** As {@link PluginHost.toLoggable}. Never throws. */
  toLoggable(value: unknown): unknown;
  /** A text without the values of hidden fields that the message of a validation tells of. */
  text(text: string): string;
}

/** A request whose failure became an answer. */
export interface RequestFailure extends FailedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
}

/**
 * Something that lives and works beside an application. All hooks are optional; `onStart`, `onReady` and `onStop` are
 * waited for. The other hooks cannot harm the application: what they throw, or reject with, is logged.
 *
 * @example
 * ```ts
 * const database: Plugin = { name: "database", onStart: () => pool.connect(), onStop: () => pool.end() };
 * ```
 */
export interface Plugin {
  /** Names it in messages. */
  readonly name: string;
  /** Before the server listens, in the order of the list. A failure stops the start. */
  onStart?(host: PluginHost): void | Promise<void>;
  /** When the server listens. A failure stops the application. */
  onReady?(address: ListenAddress): void | Promise<void>;
  /**
   * What the plugin wants to see of requests. Read once, before the start; requests are recorded only where a plugin has it, or
   * {@link Plugin.onLifecycle}.
   */
  readonly observe?: RequestObserver;
  /** What the bodies of errors are to tell, in production too; of several plugins the one that asks for most has it. Read once, before the start. */
  readonly errorFields?: ErrorFields;
  /** After a failure was made an answer, the client's errors included. `request` is valid during the call; {@link PluginHost.describeError} makes of both what can be kept. */
  onError?(error: unknown, request: RequestFailure): void;
  /** After each request. Making the trace costs every request; {@link Plugin.observe} makes it when it is looked at. */
  onLifecycle?(trace: LifecycleTrace): void;
  /**
   * In development, after a build changed `.kit/` under the running application. What runs goes on with what it has loaded; `kit dev`
   * starts it anew.
   */
  onSchemaChange?(change: SchemaChange): void | Promise<void>;
  /** For each log entry that is at or above the threshold, redacted. `json` gives it as JSON, which is made at most once for all that ask. */
  onLog?(entry: LogEntry, json: () => string): void;
  /** After the last request, in the reverse order of the list; only where the plugin was started. */
  onStop?(): void | Promise<void>;
}

/** Starts plugins in order and stops those that were started. */
export class PluginRunner {
  readonly #plugins: Plugin[];
  #started: Plugin[] = [];

  constructor(plugins: readonly Plugin[]) {
    this.#plugins = [...plugins];
  }

  /** Another one, which starts before the others and stops after them. */
  addFirst(plugin: Plugin): void {
    this.#plugins.unshift(plugin);
  }

  async start(host: PluginHost): Promise<void> {
    for (const plugin of this.#plugins) {
      // Before the hook: one that fails half-way may have something to stop.
      this.#started.push(plugin);
      await named(plugin, "onStart", () => plugin.onStart?.(host));
    }
  }

  async ready(address: ListenAddress): Promise<void> {
    for (const plugin of this.#plugins) await named(plugin, "onReady", () => plugin.onReady?.(address));
  }

  /** A listener for each plugin that has the hook. It throws an error with the plugin's name; where the hook gives a promise, that is logged. */
  listeners<THook extends "onError" | "onLifecycle" | "onSchemaChange">(
    hook: THook,
    log: Logger,
  ): ((...told: Parameters<Required<Plugin>[THook]>) => void)[] {
    return this.#plugins
      .filter((plugin) => plugin[hook] !== undefined)
      .map((plugin) => (...told) => {
        try {
          const call = plugin[hook] as (...values: readonly unknown[]) => unknown;
          const result = call.apply(plugin, told);
          if (isThenable(result))
            result.then(undefined, (cause: unknown) =>
              log.error("A plugin failed", { error: failure(plugin, hook, cause) }),
            );
        } catch (cause) {
          throw failure(plugin, hook, cause);
        }
      });
  }

  /** What error bodies are to tell. */
  errorFields(): ErrorFields {
    const asked = new Set(this.#plugins.map(({ errorFields }) => errorFields));
    return (["all", "public"] as const).find((fields) => asked.has(fields)) ?? "none";
  }

  /** What plugins want to see of requests; what their functions throw has the plugin's name. */
  observers(): RequestObserver[] {
    return this.#plugins.flatMap((plugin) => {
      const { observe } = plugin;
      return observe === undefined ? [] : [namedObserver(plugin, observe)];
    });
  }

  /** Stops all that were started, even where some fail; then throws what failed. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    const started = this.#started.toReversed();
    this.#started = [];
    for (const plugin of started) {
      try {
        await named(plugin, "onStop", () => plugin.onStop?.());
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1)
      throw new AggregateError(failures, `${failures.length} plugins could not be stopped`);
  }
}

async function named(plugin: Plugin, hook: string, call: () => void | Promise<void>): Promise<void> {
  try {
    await call();
  } catch (cause) {
    throw failure(plugin, hook, cause);
  }
}

function failure(plugin: Plugin, hook: string, cause: unknown): Error {
  return new Error(`${hook} of the plugin ${plugin.name} failed`, { cause });
}

const greatestKeep = 65_536;

function namedObserver(plugin: Plugin, observe: RequestObserver): RequestObserver {
  const { onAnswer, isSampled, keep = 0 } = observe;
  if (!Number.isInteger(keep) || keep < 0 || keep > greatestKeep) {
    const range = `a whole number from 0 to ${greatestKeep}`;
    throw new TypeError(`The plugin ${plugin.name}: \`observe.keep\` must be ${range}, not ${String(keep)}`);
  }
  return {
    ...observe,
    ...(observe.around !== undefined && { around: observe.around.bind(observe) }),
    ...(onAnswer !== undefined && {
      onAnswer: (request) => {
        try {
          onAnswer.call(observe, request);
        } catch (cause) {
          throw failure(plugin, "observe.onAnswer", cause);
        }
      },
    }),
    ...(isSampled !== undefined && {
      isSampled: (question) => {
        try {
          return isSampled.call(observe, question);
        } catch (cause) {
          throw failure(plugin, "observe.isSampled", cause);
        }
      },
    }),
  };
}
