/**
 * The application: options in, a server out.
 *
 * @module
 */
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { CloseOptions, ListenAddress, ServerService, Telemetry, TelemetryCounts } from "@kit/types";

import { createErrorMiddleware } from "../error-middleware.ts";
import { Log } from "../logging/log.ts";
import type { Logger } from "../logging/log-entry.ts";
import { toLoggable } from "../logging/loggable.ts";
import { compileRedactor, type Redactor } from "../logging/redact.ts";
import { RefusalLog } from "../logging/refusal-log.ts";
import { stdoutFormat } from "../logging/readable.ts";
import { stdoutSink } from "../logging/stdout-sink.ts";
import { describeError } from "../observe/describe-error.ts";
import { Recorder } from "../observe/recorder.ts";
import { ApiReference } from "../request/api-reference.ts";
import { ContractBreaches } from "../request/contract-breaches.ts";
import type { ExecutableRoute } from "../request/executable-route.ts";
import { Health } from "../request/health.ts";
import { IgnoredInput } from "../request/ignored-input.ts";
import { InFlight } from "../request/in-flight.ts";
import { OpenApiDocument } from "../request/openapi-document.ts";
import { Pipeline } from "../request/pipeline.ts";
import { RefusedRequests } from "../request/refused-requests.ts";
import { databaseFailure } from "./database-failure.ts";
import { developmentLink } from "./development-link.ts";
import { findApiDocs } from "./find-api-docs.ts";
import { findTelemetry } from "./find-telemetry.ts";
import { checkVersion, type FoundCompiled, loadCompiled } from "./find-compiled.ts";
import type { CheckedOptions } from "./group-check.ts";
import { type AppListenOptions, checkPath, readListen } from "./listen-options.ts";
import { listenFailure, listenOn } from "./listen-failure.ts";
import { matchCompiled } from "./match-compiled.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { type AppOptions, type ReadOptions, readOptions } from "./options.ts";
import { type PluginHost, type PluginRedactor, PluginRunner } from "./plugin.ts";
import { readRegistration, type RegisteredRoute } from "./register.ts";
import { type SchemaChange, watchSchema } from "./schema-watch.ts";
import { surviveLostReaders } from "./lost-readers.ts";
import { closeAndEnd, closeOnSignal } from "./signals.ts";
import { showStartErrors } from "./start-error.ts";
import { testedService } from "./test-link.ts";

/** A running or startable application. */
export interface App {
  /**
   * Loads what `kit build` made, holds it against what is registered, starts the plugins and then the server. Rejects with
   * what is wrong, and may be called again then.
   */
  listen(options: AppListenOptions): Promise<ListenAddress>;
  /** `listen` by another name; default port 3000. */
  start(options?: AppListenOptions): Promise<ListenAddress>;
  /**
   * Turns `/readyz` to 503 and goes on serving for `delayMs`, then stops accepting, lets requests under way finish for `graceMs`
   * (default 10 s), answers the rest with 503, and stops the plugins.
   *
   * @throws {RangeError} that names the option that is wrong; nothing is closed then.
   */
  close(options?: AppCloseOptions): Promise<void>;
  /** The instance of the framework that the server adapter wraps. */
  getNativeServer(): unknown;
  /** What became of the telemetry of this process; nothing where it is off, and before the application listens. */
  telemetry(): TelemetryCounts | null;
  /** What a server adapter serves; for adapters and test tools that send requests without a socket. */
  service(): Promise<ServerService>;
}

/** How an application is closed, in milliseconds. */
export interface AppCloseOptions extends Partial<CloseOptions> {
  /** How long it goes on serving before it stops accepting; default {@link AppOptions.shutdownDelayMs}. */
  readonly delayMs?: number;
}

const defaultGraceMs = 10_000;
const defaultPort = 3000;
/** Whoever edits does not wait long for what the old code has under way. */
const developmentGraceMs = 5_000;

/**
 * Makes an application of a server, middleware and route groups. Routes exist only where they are registered here.
 *
 * @example
 * ```ts
 * const app = createApp({
 *   server: nativeServer(),
 *   middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }],
 *   routes: [{ prefix: "/notes", handlers: noteHandlers }],
 * });
 * const { url } = await app.listen({ port: 3000 });
 * ```
 * @throws {TypeError} that names the option that is wrong.
 */
export function createApp<const TOptions extends AppOptions>(options: CheckedOptions<TOptions>): App {
  return new Application(readOptions(options));
}

/** What an application needs to serve. */
interface Prepared {
  readonly found: FoundCompiled;
  readonly service: ServerService;
  readonly recorder: Recorder | null;
  /** The project's directory. */
  readonly projectRoot: string;
}

class Application implements App {
  readonly #options: ReadOptions;
  readonly #registered: readonly RegisteredRoute[];
  readonly #plugins: PluginRunner;
  readonly #redactor: Redactor;
  readonly #log: Log;
  readonly #inFlight: InFlight;
  readonly #breaches: ContractBreaches;
  readonly #refusals: RefusalLog;
  readonly #refusedRequests: RefusedRequests;
  #prepared: Promise<Prepared> | undefined;
  #listening: Promise<ListenAddress> | undefined;
  #closing: Promise<void> | undefined;
  #telemetry: Telemetry | null = null;
  #removeSignals: (() => void) | undefined;
  #unwatchSchema: (() => void) | undefined;
  /** Whether requests may be sent. */
  #isReady = false;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#registered = readRegistration(options.middleware, options.routes);
    this.#plugins = new PluginRunner(options.plugins);
    this.#redactor = compileRedactor(options.redact);
    this.#log = new Log({
      level: options.logLevel,
      redactor: this.#redactor,
      serverAdapter: options.server.name,
      lines: stdoutSink(),
      format: stdoutFormat(options.isDevelopment),
      sinks: options.plugins.flatMap((plugin) => (plugin.onLog ? [plugin.onLog.bind(plugin)] : [])),
    });
    this.#inFlight = new InFlight(options.requestTimeoutMs);
    this.#breaches = new ContractBreaches(this.#log);
    this.#refusals = new RefusalLog(this.#log);
    this.#refusedRequests = new RefusedRequests(this.#log, this.#redactor);
  }

  listen(options: AppListenOptions): Promise<ListenAddress> {
    if (this.#closing !== undefined)
      return Promise.reject(new Error("The application was closed; create another one"));
    if (this.#listening !== undefined)
      return Promise.reject(new Error("The application is listening already"));
    surviveLostReaders();
    showStartErrors();
    const listening = this.#listenAsRole(options);
    this.#listening = listening;
    listening.catch(() => {
      this.#listening = undefined;
    });
    return listening;
  }

  start(options: AppListenOptions = { port: defaultPort }): Promise<ListenAddress> {
    return this.listen(options);
  }

  close(options: AppCloseOptions = {}): Promise<void> {
    const { graceMs = defaultGraceMs, delayMs = this.#options.shutdownDelayMs } = options;
    for (const [name, value] of Object.entries({ graceMs, delayMs })) {
      if (isMilliseconds(value)) continue;
      const range = `a whole number of milliseconds from 0 to ${longestTimeoutMs}`;
      return Promise.reject(new RangeError(`close: \`${name}\` must be ${range}, not ${String(value)}`));
    }
    this.#isReady = false;
    this.#closing ??= this.#close({ graceMs }, delayMs);
    return this.#closing;
  }

  telemetry(): TelemetryCounts | null {
    return this.#telemetry === null ? null : this.#telemetry.counts();
  }

  getNativeServer(): unknown {
    return this.#options.server.getNativeServer();
  }

  async service(): Promise<ServerService> {
    return (await this.#prepare()).service;
  }

  /** Serves; or watches over processes that do, or is one of them. */
  async #listenAsRole(given: AppListenOptions): Promise<ListenAddress> {
    const { server } = this.#options;
    if (server.supervise !== undefined) {
      const options = readListen(given);
      // The first worker answers requests while the others start, so a signal must let it finish from the beginning.
      this.#closeOnSignal();
      try {
        return await server.supervise(
          options,
          this.#log.at(() => ({})),
        );
      } catch (error) {
        this.#removeSignals?.();
        throw listenFailure(error, options, false);
      }
    }
    const { worker } = server;
    if (worker === undefined) return this.#listen(given);
    try {
      const address = await this.#listen(given);
      worker.ready((options) => closeAndEnd(() => this.close(options), this.#logCloseFailure));
      return address;
    } catch (error) {
      return worker.failed(error);
    }
  }

  #closeOnSignal(): void {
    if (this.#options.signals) this.#removeSignals = closeOnSignal(() => this.close(), this.#logCloseFailure);
  }

  readonly #logCloseFailure = (error: unknown): void =>
    this.#log.at(() => ({})).fatal("The application could not be closed", { error });

  async #listen(given: AppListenOptions): Promise<ListenAddress> {
    const options = readListen(given);
    const { server } = this.#options;
    const prepared = await this.#prepare();
    const { found, service } = prepared;
    const log = this.#log.at(() => ({}));
    let isServing = false;
    try {
      await this.#plugins.start(this.#hostOf(prepared, log));
      const link = developmentLink();
      const address = await listenOn(server, service, options, link);
      isServing = true;
      checkPath(options, address, server.name);
      await this.#plugins.ready(address);
      this.#isReady = this.#closing === undefined;
      this.#watchSchema(found);
      this.#closeOnSignal();
      link?.listening(address, () =>
        closeAndEnd(() => this.close({ delayMs: 0, graceMs: developmentGraceMs }), this.#logCloseFailure),
      );
      return address;
    } catch (error) {
      if (isServing) await server.close({ graceMs: 0 });
      // What failed first is what the caller must hear of.
      await this.#plugins
        .stop()
        .catch((failure: unknown) => log.error("A plugin failed", { error: failure }));
      throw databaseFailure(error, prepared.projectRoot, this.#options.isDevelopment);
    }
  }

  #hostOf({ found, recorder, projectRoot }: Prepared, log: Logger): PluginHost {
    const { server, isDevelopment } = this.#options;
    const redactor = this.#redactor;
    return {
      serverAdapter: server.name,
      platform: server.platform,
      compiled: found.compiled,
      log,
      isDevelopment,
      projectRoot,
      requests: recorder,
      describeError: (error, request) => describeError(error, request, redactor),
      toLoggable: (value) => toLoggable(value, redactor),
      redactor: (patterns) => this.#pluginRedactor(patterns, found),
      connections: () => server.connections?.() ?? null,
      worker: server.worker?.number ?? null,
      workerGroup: server.worker?.group ?? null,
    };
  }

  #pluginRedactor(patterns: readonly string[], { compiled }: FoundCompiled): PluginRedactor {
    const redactor = compileRedactor([...this.#options.redact, ...patterns]);
    redactor.hideNames(compiled.sensitive ?? []);
    return {
      // Entries lie below their `data`, as in the log.
      hides: (path) => redactor.hides(["data", ...path.map((name) => name.toLowerCase())]),
      toLoggable: (value) => toLoggable(value, redactor),
      text: (text) => redactor.text(text),
    };
  }

  async #close(options: CloseOptions, delayMs: number): Promise<void> {
    // Workers do by themselves what is done below for one process. Those that are still starting are not waited for.
    const hasWorkers = this.#options.server.supervise !== undefined;
    if (hasWorkers && this.#listening !== undefined) await this.#closeServer({ ...options, delayMs });
    const listening = await this.#listening?.catch(() => undefined);
    try {
      // Load balancers learn from `/readyz`, or from the same signal, and need a moment to send requests elsewhere.
      if (listening !== undefined && delayMs > 0 && !hasWorkers) await sleep(delayMs);
      if (listening !== undefined) await this.#closeServer(hasWorkers ? { ...options, delayMs } : options);
    } finally {
      this.#breaches.flush();
      this.#unwatchSchema?.();
      this.#refusals.flush();
      this.#refusedRequests.flush();
      await this.#plugins.stop();
      this.#removeSignals?.();
    }
  }

  /** Tells plugins of builds under the running application, in development and only where one wants to know. */
  #watchSchema({ where, directory }: FoundCompiled): void {
    const { isDevelopment } = this.#options;
    const log = this.#log.at(() => ({}));
    const listeners = this.#plugins.listeners("onSchemaChange", log);
    if (!isDevelopment || listeners.length === 0) return;
    if (directory === undefined) {
      log.debug(`onSchemaChange is not called: ${where} is in no directory that could be watched`);
      return;
    }
    const tell = (change: SchemaChange): void => {
      for (const listener of listeners) {
        try {
          listener(change);
        } catch (error) {
          log.error("A plugin failed", { error });
        }
      }
    };
    this.#unwatchSchema = watchSchema(directory, tell, (error) =>
      log.warn("Changes of .kit/ cannot be watched", { error }),
    );
  }

  /** What is not answered at the end of the grace is answered with 503 before its connection is cut. */
  async #closeServer(options: CloseOptions): Promise<void> {
    const { graceMs } = options;
    // The last moment of the grace is for those answers to be sent.
    const timer = setTimeout(() => this.#inFlight.giveUp(), graceMs - Math.min(100, graceMs / 10));
    try {
      await this.#options.server.close(options);
    } finally {
      clearTimeout(timer);
      // A server may cut before that timer is due.
      this.#inFlight.giveUp();
    }
  }

  /** Loads and checks once; a failure may be repaired, so it is not kept. */
  #prepare(): Promise<Prepared> {
    this.#prepared ??= this.#makePipeline().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #makePipeline(): Promise<Prepared> {
    const {
      compiled: given,
      docs,
      health,
      server,
      limits,
      isDevelopment,
      servesDocument,
      errorMiddleware,
      findAddress,
    } = this.#options;
    const where = "the given `compiled`";
    const found =
      given === undefined
        ? await loadCompiled()
        : { compiled: checkVersion(given, where), where, directory: undefined };
    const log = this.#log.at(() => ({}));
    const apiDocs = docs && (await findApiDocs(docs.isRequired));
    const paths = new Set(found.compiled.routes.map(({ path }) => path));
    const projectRoot = found.directory === undefined ? process.cwd() : dirname(found.directory);
    await this.#startTelemetry();
    this.#redactor.hideNames(found.compiled.sensitive ?? []);
    const routes = matchCompiled(this.#registered, found.compiled, found.where);
    const recorder = this.#makeRecorder(routes, log);
    const pipeline = new Pipeline({
      tree: found.compiled.tree,
      routes,
      limits,
      reference: apiDocs && ApiReference.of(docs!.path, apiDocs, found.compiled),
      openapi: servesDocument ? OpenApiDocument.of(found.compiled) : null,
      health: health && new Health(health, paths, () => this.#isReady, log),
      settings: {
        serverAdapter: server.name,
        projectRoot,
        errorMiddleware: errorMiddleware ?? createErrorMiddleware({ isDev: isDevelopment }),
        errorFields: this.#plugins.errorFields(),
        checkResponses: isDevelopment,
        ignoredInput: isDevelopment ? new IgnoredInput() : null,
        log: this.#log,
        clientErrors: this.#options.clientErrors,
        refusedRequests: this.#refusedRequests,
        findAddress,
        inFlight: this.#inFlight,
        breaches: this.#breaches,
        refusals: this.#refusals,
        onError: this.#plugins.listeners("onError", log),
        recorder,
      },
    });
    return { found, service: await testedService(pipeline), recorder, projectRoot };
  }

  /** Loads telemetry where it is on, once. It lives as a plugin does, around all others. */
  async #startTelemetry(): Promise<void> {
    const { telemetry: settings, server } = this.#options;
    if (settings === null || this.#telemetry !== null) return;
    const telemetry = (await findTelemetry()).start(settings);
    this.#telemetry = telemetry;
    if (telemetry.onLog !== undefined) this.#log.addSink(telemetry.onLog);
    this.#plugins.addFirst({
      name: "telemetry",
      observe: telemetry.observe,
      onStart: ({ requests, log }) =>
        telemetry.begin({ requests: requests!, log, serverAdapter: server.name }),
      onStop: () => telemetry.stop(),
    });
  }

  /** There only where somebody looks. */
  #makeRecorder(routes: readonly ExecutableRoute[], log: Logger): Recorder | null {
    const observers = this.#plugins.observers();
    const onLifecycle = this.#plugins.listeners("onLifecycle", log);
    if (observers.length === 0 && onLifecycle.length === 0) return null;
    return new Recorder({
      observers,
      onLifecycle,
      routes,
      serverAdapter: this.#options.server.name,
      redactor: this.#redactor,
      onFailure: (error) => log.error("A plugin failed", { error }),
    });
  }
}
