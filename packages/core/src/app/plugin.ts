import type {
  CompiledApplication,
  ErrorRecord,
  JobsSource,
  LifecycleTrace,
  ListenAddress,
  RequestHistory,
  RequestObserver,
} from "@kit/types";

import type { ErrorFields, RequestFailure } from "../failed-request.ts";
import type { LogEntry, Logger } from "../logging/log-entry.ts";
import { isThenable } from "../thenable.ts";
import type { SchemaChange } from "./schema-watch.ts";

/** Application, as its plugins see it. */
export interface PluginHost {
  /** Name of the server adapter. */
  readonly serverAdapter: string;
  /** Name of the HTTP server or framework that the adapter uses: `hyper`, `express 5.3`. */
  readonly platform: string;
  /** Output of `kit build` for the application. */
  readonly compiled: CompiledApplication;
  /** Logger of the application. */
  readonly log: Logger;
  /** True if the environment is `development`. */
  readonly isDevelopment: boolean;
  /** Absolute path of the project. The source paths in `compiled` are relative to it. */
  readonly projectRoot: string;
  /** Active and recent requests. `null` if no plugin has {@link Plugin.onLifecycle}, or {@link Plugin.observe} with more than `onEnd`. */
  readonly requests: RequestHistory | null;
  /**
   * Returns a complete description of a failure, for {@link Plugin.onError}. The call is expensive: it searches for
   * files and creates the stack string. Never throws.
   */
  describeError(error: unknown, request: RequestFailure): ErrorRecord;
  /** Converts any value to JSON data of limited size, redacted as in the log. Never throws. */
  toLoggable(value: unknown): unknown;
  /**
   * Creates a redactor that hides all values that the log hides. The redactor also hides properties that match
   * `patterns`, which have the syntax of `logging.redact`.
   *
   * @throws {TypeError} If a pattern is invalid. The message names the pattern.
   */
  redactor(patterns: readonly string[]): PluginRedactor;
  /** Returns the number of open connections. `null` if the adapter does not report the number. */
  connections(): number | null;
  /** Source of reports about jobs. `null` if no plugin has {@link Plugin.jobs}. */
  readonly jobs: JobsSource | null;
  /** Number of this process among the processes of the application, from 1. `null` if there is only one process. */
  readonly worker: number | null;
  /**
   * Secret that the processes of the application share and that no other process can guess. `null` if there is only one
   * process.
   */
  readonly workerGroup: string | null;
}

/** Redactor that {@link PluginHost.redactor} creates. */
export interface PluginRedactor {
  /**
   * Returns true if the value of a property is hidden. `path` is the list of property names: `["user", "password"]`.
   */
  hides(path: readonly string[]): boolean;
  /** Converts a value in the same way as {@link PluginHost.toLoggable}, with the additional patterns. Never throws. */
  toLoggable(value: unknown): unknown;
  /** Returns a validation message with `[redacted]` in place of the values of hidden fields. */
  text(text: string): string;
}

/**
 * Extension that runs with an application. All hooks are optional. kit waits for `onStart`, `onReady` and `onStop`.
 * Errors and rejections of the other hooks are logged and do not affect the application.
 *
 * @example
 * ```ts
 * const database: Plugin = { name: "database", onStart: () => pool.connect(), onStop: () => pool.end() };
 * ```
 */
export interface Plugin {
  /** Name of the plugin in messages. */
  readonly name: string;
  /** Called before the server listens, in the order of the list. An error aborts the start. */
  onStart?(host: PluginHost): void | Promise<void>;
  /** Called when the server listens. An error stops the application. */
  onReady?(address: ListenAddress): void | Promise<void>;
  /**
   * Functions that observe requests. kit reads this property once, before the start. It records requests only if a
   * plugin has {@link Plugin.onLifecycle}, or this property with more than `onEnd`.
   */
  readonly observe?: RequestObserver;
  /**
   * Fields that error bodies contain in addition, even in production. If several plugins set this property,
   * kit uses the value with the most fields. kit reads the property once, before the start.
   */
  readonly errorFields?: ErrorFields;
  /** Source of reports about jobs, which the debug sidecar shows. `@kit/jobs` sets this property. */
  readonly jobs?: JobsSource;
  /**
   * Called for each failed request, including errors of the client: before kit sends the error response, or after a
   * response body has failed. `request` is valid only during the call. To keep the data, use
   * {@link PluginHost.describeError}.
   */
  onError?(error: unknown, request: RequestFailure): void;
  /**
   * Called after each request, with its trace. kit then creates a trace for every request, which costs time.
   * {@link Plugin.observe} costs less, because kit creates a trace only if the plugin reads it.
   */
  onLifecycle?(trace: LifecycleTrace): void;
  /**
   * Called in development after a build changed `.kit/` while the application runs. The running application continues
   * with the code that it has loaded. `kit dev` restarts it.
   */
  onSchemaChange?(change: SchemaChange): void | Promise<void>;
  /**
   * Called for each log entry at or above the minimum level, after redaction. `json` returns the entry as JSON. The
   * JSON is created at most once for all plugins.
   */
  onLog?(entry: LogEntry, json: () => string): void;
  /** Called after the last request, in the reverse order of the list, and only if the plugin was started. */
  onStop?(): void | Promise<void>;
}

/** Starts plugins in order, and stops the plugins that were started. */
export class PluginRunner {
  readonly #plugins: Plugin[];
  #started: Plugin[] = [];

  constructor(plugins: readonly Plugin[]) {
    this.#plugins = [...plugins];
  }

  /** Adds a plugin that starts before all other plugins and stops after them. */
  addFirst(plugin: Plugin): void {
    this.#plugins.unshift(plugin);
  }

  async start(host: PluginHost): Promise<void> {
    for (const plugin of this.#plugins) {
      // The plugin counts as started before its hook runs, because a hook that fails halfway may have resources to
      // release.
      this.#started.push(plugin);
      await named(plugin, "onStart", () => plugin.onStart?.(host));
    }
  }

  async ready(address: ListenAddress): Promise<void> {
    for (const plugin of this.#plugins) await named(plugin, "onReady", () => plugin.onReady?.(address));
  }

  /**
   * Returns a listener for each plugin that has the hook. If the hook throws, the listener throws an error with the
   * plugin's name. If the hook returns a promise that rejects, that error is logged.
   */
  listeners<THook extends "onError" | "onLifecycle" | "onSchemaChange">(
    hook: THook,
    log: Logger,
  ): ((...told: Parameters<Required<Plugin>[THook]>) => void)[] {
    return this.#plugins
      .filter((plugin) => plugin[hook] !== undefined)
      .map((plugin) => (...told) => {
        try {
          const call = plugin[hook] as (...values: readonly unknown[]) => unknown;
          logRejection(plugin, hook, log, call.apply(plugin, told));
        } catch (cause) {
          throw failure(plugin, hook, cause);
        }
      });
  }

  /**
   * Returns the fields that error bodies contain in addition: the value with the most fields of all plugins.
   */
  errorFields(): ErrorFields {
    const asked = new Set(this.#plugins.map(({ errorFields }) => errorFields));
    return (["all", "public"] as const).find((fields) => asked.has(fields)) ?? "none";
  }

  /** Returns the first source of reports about jobs. `null` if no plugin has one. */
  jobs(): JobsSource | null {
    return this.#plugins.find(({ jobs }) => jobs !== undefined)?.jobs ?? null;
  }

  /**
   * Returns the observers of all plugins. Errors of their functions are wrapped with the plugin's name. If a function returns a
   * promise that rejects, that error is logged.
   */
  observers(log: Logger): RequestObserver[] {
    return this.#plugins.flatMap((plugin) => {
      const { observe } = plugin;
      return observe === undefined ? [] : [namedObserver(plugin, observe, log)];
    });
  }

  /** Stops all started plugins, even if some plugins fail to stop. Then throws the failures. */
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

/**
 * Logs the error if a hook has returned a promise that rejects. The result of the hook is not awaited, and an unhandled
 * rejection would end the process.
 */
function logRejection(plugin: Plugin, hook: string, log: Logger, result: unknown): void {
  if (!isThenable(result)) return;
  result.then(undefined, (cause: unknown) =>
    log.error("A plugin failed", { error: failure(plugin, hook, cause) }),
  );
}

const maxCapacity = 65_536;

function namedObserver(plugin: Plugin, observe: RequestObserver, log: Logger): RequestObserver {
  const { onResponse, onEnd, isSampled, capacity = 0 } = observe;
  if (!Number.isInteger(capacity) || capacity < 0 || capacity > maxCapacity) {
    const range = `a whole number from 0 to ${maxCapacity}`;
    throw new TypeError(
      `The plugin ${plugin.name}: \`observe.capacity\` must be ${range}, not ${String(capacity)}`,
    );
  }
  return {
    ...observe,
    ...(observe.around !== undefined && { around: observe.around.bind(observe) }),
    ...(onResponse !== undefined && {
      onResponse: (request) => {
        try {
          logRejection(plugin, "observe.onResponse", log, onResponse.call(observe, request));
        } catch (cause) {
          throw failure(plugin, "observe.onResponse", cause);
        }
      },
    }),
    ...(onEnd !== undefined && {
      onEnd: (route, method, status, durationMs) => {
        try {
          logRejection(plugin, "observe.onEnd", log, onEnd.call(observe, route, method, status, durationMs));
        } catch (cause) {
          throw failure(plugin, "observe.onEnd", cause);
        }
      },
    }),
    ...(isSampled !== undefined && {
      isSampled: (input) => {
        try {
          const sampled: unknown = isSampled.call(observe, input);
          if (!isThenable(sampled)) return sampled as boolean;
          // The reason below is logged. An unhandled rejection would end the process.
          sampled.then(undefined, () => {});
          throw new TypeError("`isSampled` must return true or false, not a promise");
        } catch (cause) {
          throw failure(plugin, "observe.isSampled", cause);
        }
      },
    }),
  };
}
