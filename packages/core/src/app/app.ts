// tidy: long because it creates every part of an application
/**
 * Function `createApp`, and the application that it creates.
 *
 * @module
 */
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type {
  CloseOptions,
  ListenAddress,
  ListenOptions,
  ServerRefusal,
  ServerService,
  Telemetry,
  TelemetryCounts,
} from "@kit/types";

import { Cookies } from "../cookies/cookies.ts";
import { Compression } from "../edge/compression.ts";
import { Conditional } from "../edge/conditional.ts";
import { Cors } from "../edge/cors.ts";
import { Csrf } from "../edge/csrf.ts";
import { EdgeRules } from "../edge/edge-rules.ts";
import { createErrorMiddleware } from "../error-middleware.ts";
import { ErrorWriter } from "../errors/error-writer.ts";
import { FetchServer } from "../fetch/fetch-server.ts";
import { Log } from "../logging/log.ts";
import type { Logger } from "../logging/log-entry.ts";
import { toLoggable } from "../logging/loggable.ts";
import { compileRedactor, type Redactor } from "../logging/redact.ts";
import { ServerRefusalLog } from "../logging/server-refusal-log.ts";
import { stdoutFormat } from "../logging/readable.ts";
import { stdoutSink } from "../logging/stdout-sink.ts";
import { describeError } from "../observe/describe-error.ts";
import { Recorder } from "../observe/recorder.ts";
import { needsRecords, RequestMeter } from "../observe/request-meter.ts";
import { ApiReference } from "../request/api-reference.ts";
import { InvalidResponseLog } from "../request/invalid-response-log.ts";
import { loadCertificateReader } from "../request/certificate-reader.ts";
import type { ExecutableRoute } from "../request/executable-route.ts";
import { Health } from "../request/health.ts";
import { IgnoredInput } from "../request/ignored-input.ts";
import { InFlightLists } from "../request/in-flight-lists.ts";
import { ApiDocuments } from "../request/api-documents.ts";
import { Pipeline } from "../request/pipeline.ts";
import { RequestLog } from "../request/request-log.ts";
import { StaticFiles } from "../request/static-files.ts";
import { RefusedRequestLog } from "../request/refused-request-log.ts";
import type { App, AppCloseOptions } from "./app-interface.ts";
import { databaseFailure } from "./database-failure.ts";
import { developmentLink } from "./development-link.ts";
import { findApiDocs } from "./find-api-docs.ts";
import { findTelemetry } from "./find-telemetry.ts";
import { checkVersion, type FoundCompiled, loadCompiled } from "./find-compiled.ts";
import type { CheckedOptions } from "./group-check.ts";
import { type AppListenOptions, checkPath, readListen } from "./listen-options.ts";
import { requireTls, watchTls } from "./tls.ts";
import type { Redirects } from "./tls-redirect.ts";
import { listenFailure, listenOn, redirectFailure } from "./listen-failure.ts";
import { matchCompiled } from "./match-compiled.ts";
import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { type AppOptions, type ReadOptions, readOptions } from "./options.ts";
import { type PluginHost, type PluginRedactor, PluginRunner } from "./plugin.ts";
import { readRegistration, type RegisteredRoute } from "./register.ts";
import { type SchemaChange, watchSchema } from "./schema-watch.ts";
import { ignoreStdioErrors } from "./ignore-stdio-errors.ts";
import { closeAndEnd, closeOnSignal } from "./signals.ts";
import { loggedService } from "./logged-service.ts";
import { ruledService } from "./ruled-service.ts";
import { servingFiles } from "./serving-files.ts";
import { showStartErrors } from "./start-error.ts";
import { findSites } from "./static-files-option.ts";
import { testedService } from "./test-link.ts";

const shortestGraceMs = 10_000;
const defaultPort = 3000;
/** Grace period under `kit dev`. Developers should not wait long for the requests of the old code. */
const developmentGraceMs = 5_000;

/**
 * Creates an application from a server adapter, middleware and route groups. Only routes that are registered here
 * exist. The application serves after a call of {@link App.listen}.
 *
 * @param options - Options of the application. `routes` is required, and `server` for {@link App.listen}.
 * @example
 * ```ts
 * const app = createApp({
 *   server: nativeServer(),
 *   middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }],
 *   routes: [{ prefix: "/notes", handlers: noteHandlers }],
 * });
 * const { url } = await app.listen({ port: 3000 });
 * ```
 * @throws {TypeError} If an option is invalid. The message names the option.
 */
export function createApp<const TOptions extends AppOptions>(options: CheckedOptions<TOptions>): App {
  return new Application(readOptions(options));
}

/** Loaded build of an application, with the objects that serve the application's requests. */
interface Prepared {
  readonly found: FoundCompiled;
  readonly service: ServerService;
  readonly recorder: Recorder | null;
  /** Directory that contains `.kit/`. The working directory if the build was not loaded from a directory. */
  readonly projectRoot: string;
}

class Application implements App {
  readonly #options: ReadOptions;
  readonly #registered: readonly RegisteredRoute[];
  readonly #plugins: PluginRunner;
  readonly #redactor: Redactor;
  readonly #log: Log;
  readonly #inFlight: InFlightLists;
  readonly #breaches: InvalidResponseLog;
  readonly #refusals: ServerRefusalLog;
  readonly #refusedRequests: RefusedRequestLog;
  #prepared: Promise<Prepared> | undefined;
  #listening: Promise<ListenAddress> | undefined;
  /** Start of the application by `fetch`, without a server. */
  #starting: Promise<ServerService> | undefined;
  readonly #fetches: FetchServer = new FetchServer();
  #closing: Promise<void> | undefined;
  #telemetry: Telemetry | null = null;
  #meter: RequestMeter | null = null;
  #removeSignals: (() => void) | undefined;
  #unwatchSchema: (() => void) | undefined;
  #unwatchTls: (() => void) | undefined;
  #redirects: Redirects | undefined;
  /** True while `/readyz` reports that the application is ready. */
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
    this.#inFlight = new InFlightLists(options.requestTimeoutMs);
    this.#breaches = new InvalidResponseLog(this.#log);
    this.#refusals = new ServerRefusalLog(this.#log);
    this.#refusedRequests = new RefusedRequestLog(this.#log, this.#redactor);
  }

  listen(options: AppListenOptions): Promise<ListenAddress> {
    if (this.#closing !== undefined)
      return Promise.reject(new Error("The application was closed; create a new application with createApp"));
    if (this.#listening !== undefined)
      return Promise.reject(new Error("The application is listening already"));
    if (this.#starting !== undefined) {
      const problem = "The application was started by `fetch` already; call `listen` before `fetch`";
      return Promise.reject(new Error(problem));
    }
    ignoreStdioErrors();
    showStartErrors();
    const listening = this.#listenAsRole(options);
    this.#listening = listening;
    listening.catch(() => {
      this.#listening = undefined;
    });
    return listening;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    if (this.#closing !== undefined)
      throw new Error("The application was closed; create a new application with createApp");
    const service = await this.#startForFetch();
    return this.#fetches.handle(service, request);
  };

  /** Starts the application once for all calls of `fetch`. A failure is not cached. */
  #startForFetch(): Promise<ServerService> {
    // The plugins are started by `listen` too, and only once.
    if (this.#listening !== undefined) return this.#listening.then(() => this.service());
    this.#starting ??= this.#startWithoutServer().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #startWithoutServer(): Promise<ServerService> {
    const prepared = await this.#prepare();
    try {
      await this.#plugins.start(
        this.#hostOf(
          prepared,
          this.#log.loggerFor(() => ({})),
        ),
      );
    } catch (error) {
      // The caller must receive the first error, so errors of stopping the plugins are only logged.
      const log = this.#log.loggerFor(() => ({}));
      await this.#plugins
        .stop()
        .catch((failure: unknown) => log.error("A plugin failed", { error: failure }));
      throw databaseFailure(error, prepared.projectRoot, this.#options.isDevelopment);
    }
    this.#isReady = this.#closing === undefined;
    return prepared.service;
  }

  start(options: AppListenOptions = { port: defaultPort }): Promise<ListenAddress> {
    return this.listen(options);
  }

  close(options: AppCloseOptions = {}): Promise<void> {
    const { graceMs = this.#graceMs(), delayMs = this.#options.shutdownDelayMs } = options;
    for (const [name, value] of Object.entries({ graceMs, delayMs })) {
      if (isMilliseconds(value)) continue;
      const range = `a whole number of milliseconds from 0 to ${longestTimeoutMs}`;
      return Promise.reject(new RangeError(`close: \`${name}\` must be ${range}, not ${String(value)}`));
    }
    this.#isReady = false;
    this.#closing ??= this.#close({ graceMs }, delayMs);
    return this.#closing;
  }

  /**
   * Returns the grace period: a request that may take long must not be cut by each deployment. The primary process of workers passes
   * this time to them. It does not load the build, so the timeouts of routes come from their registration.
   */
  #graceMs(): number {
    const { requestTimeoutMs, shutdownGraceMs } = this.#options;
    const ofRoutes = this.#registered.map((route) => route.requestTimeoutMs ?? 0);
    return shutdownGraceMs ?? Math.max(shortestGraceMs, requestTimeoutMs, ...ofRoutes);
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

  /**
   * Starts a server in this process. If the adapter has worker processes, starts and supervises these
   * instead. In a worker, reports the result of the start to the primary process.
   */
  async #listenAsRole(given: AppListenOptions): Promise<ListenAddress> {
    const { server } = this.#options;
    if (server.supervise !== undefined) {
      const options = readListen(given);
      requireTls(server, options.tls);
      // The first worker responds to requests while the others start, so signals must close it gracefully from the
      // beginning.
      this.#closeOnSignal();
      let isServing = false;
      try {
        const address = await server.supervise(
          options,
          this.#log.loggerFor(() => ({})),
        );
        isServing = true;
        return await this.#withRedirects(options, address);
      } catch (error) {
        if (isServing) await server.close({ graceMs: 0 });
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
    this.#log.loggerFor(() => ({})).fatal("The application could not be closed", { error });

  async #listen(given: AppListenOptions): Promise<ListenAddress> {
    const options = readListen(given);
    const { server } = this.#options;
    requireTls(server, options.tls);
    const prepared = await this.#prepare();
    const { found, service } = prepared;
    const log = this.#log.loggerFor(() => ({}));
    let isServing = false;
    try {
      await this.#plugins.start(this.#hostOf(prepared, log));
      const link = developmentLink();
      if (options.tls?.clientCa !== undefined) await loadCertificateReader();
      if (options.tls !== undefined) this.#unwatchTls = watchTls(server, options.tls, log, () => isServing);
      const listening = await listenOn(server, service, options, link);
      isServing = true;
      checkPath(options, listening, server.name);
      // The primary process of workers redirects for all of them. Under `kit dev`, the port would belong to the previous process.
      const redirects = server.worker === undefined && link === undefined;
      const address = redirects ? await this.#withRedirects(options, listening) : listening;
      await this.#plugins.ready(address);
      this.#isReady = this.#closing === undefined;
      this.#watchSchema(found);
      this.#closeOnSignal();
      link?.listening(address, () =>
        closeAndEnd(() => this.close({ delayMs: 0, graceMs: developmentGraceMs }), this.#logCloseFailure),
      );
      return address;
    } catch (error) {
      this.#unwatchTls?.();
      await this.#redirects?.close({ graceMs: 0 });
      if (isServing) await server.close({ graceMs: 0 });
      // The caller must receive the first error, so errors of stopping the plugins are only logged.
      await this.#plugins
        .stop()
        .catch((failure: unknown) => log.error("A plugin failed", { error: failure }));
      throw databaseFailure(error, prepared.projectRoot, this.#options.isDevelopment);
    }
  }

  /** Starts the redirects from plain HTTP if the options ask for them. Returns the address with that of the redirects. */
  async #withRedirects({ tls, host }: ListenOptions, address: ListenAddress): Promise<ListenAddress> {
    if (tls?.redirectFrom === undefined) return address;
    const { server } = this.#options;
    // Only applications with redirects load the module.
    const { startRedirects } = await import("./tls-redirect.ts");
    const from = { host, port: tls.redirectFrom };
    const logRefusal = (refusal: ServerRefusal): void => this.#refusals.count(refusal);
    try {
      this.#redirects = await startRedirects(server, tls, from, address, logRefusal);
    } catch (error) {
      throw redirectFailure(error, from.port);
    }
    return { ...address, redirect: this.#redirects.address };
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
      jobs: this.#plugins.jobs(),
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
      // Redaction patterns apply to paths below `data`, as in log entries.
      hides: (path) => redactor.hides(["data", ...path.map((name) => name.toLowerCase())]),
      toLoggable: (value) => toLoggable(value, redactor),
      text: (text) => redactor.redactMessage(text),
    };
  }

  async #close(options: CloseOptions, delayMs: number): Promise<void> {
    // A server with workers does the steps below in each worker. Workers that are still starting are not waited for.
    const hasWorkers = this.#options.server.supervise !== undefined;
    if (hasWorkers && this.#listening !== undefined) await this.#closeServer({ ...options, delayMs });
    const listening = await this.#listening?.catch(() => undefined);
    try {
      // Load balancers detect the shutdown through `/readyz`, or receive the same signal, and need time to send
      // requests elsewhere.
      if (listening !== undefined && delayMs > 0 && !hasWorkers) await sleep(delayMs);
      if (listening !== undefined) await this.#closeServer(hasWorkers ? { ...options, delayMs } : options);
      else if (this.#starting !== undefined) await this.#closeFetches(options);
    } finally {
      this.#breaches.flush();
      this.#unwatchSchema?.();
      this.#unwatchTls?.();
      this.#refusals.flush();
      this.#refusedRequests.flush();
      await this.#plugins.stop();
      this.#removeSignals?.();
    }
  }

  /**
   * Calls the hook `onSchemaChange` of the plugins after each build that changes `.kit/`. Called in
   * development only.
   */
  #watchSchema({ location, directory }: FoundCompiled): void {
    const { isDevelopment } = this.#options;
    const log = this.#log.loggerFor(() => ({}));
    const listeners = this.#plugins.listeners("onSchemaChange", log);
    if (!isDevelopment || listeners.length === 0) return;
    if (directory === undefined) {
      log.debug(
        `onSchemaChange is not called: kit cannot watch a build directory, because createApp uses ${location}`,
      );
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

  /**
   * Closes the server. Requests that are still open at the end of the grace period receive 503 before their connections
   * are closed.
   */
  async #closeServer(options: CloseOptions): Promise<void> {
    const { graceMs } = options;
    // The last part of the grace period is reserved for sending these responses.
    const timer = setTimeout(() => this.#inFlight.abortAll(), graceMs - Math.min(100, graceMs / 10));
    this.#inFlight.endLasting();
    const redirects = this.#redirects;
    this.#redirects = undefined;
    try {
      await Promise.all([
        this.#options.server.close(options),
        this.#fetches.close(graceMs),
        redirects?.close(options),
      ]);
    } finally {
      clearTimeout(timer);
      // A server may close its connections before the timer fires.
      this.#inFlight.abortAll();
    }
  }

  /**
   * Waits for the requests of `fetch`. Requests without a response at the end of the grace period receive
   * 503.
   */
  async #closeFetches({ graceMs }: CloseOptions): Promise<void> {
    const timer = setTimeout(() => this.#inFlight.abortAll(), graceMs - Math.min(100, graceMs / 10));
    this.#inFlight.endLasting();
    await this.#fetches.close(graceMs);
    clearTimeout(timer);
    this.#inFlight.abortAll();
  }

  /**
   * Loads and checks the build, and creates the service, once for all calls. A failure is not cached, because its cause
   * may be repaired before the next call.
   */
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
      errors,
      findAddress,
      origin,
    } = this.#options;
    const cors = this.#options.cors && new Cors(this.#options.cors);
    const rules = EdgeRules.of(cors, this.#options.securityHeaders);
    const { compression, requestLog: logged } = this.#options;
    const parts = { log: this.#log, redactor: this.#redactor, findAddress };
    const requestLog = logged && new RequestLog(logged, parts);
    const location = "the given `compiled`";
    const found =
      given === undefined
        ? await loadCompiled()
        : { compiled: checkVersion(given, location), location, directory: undefined };
    const log = this.#log.loggerFor(() => ({}));
    const apiDocs = docs && (await findApiDocs(docs.isRequired));
    const paths = new Set(found.compiled.routes.map(({ path }) => path));
    const projectRoot = found.directory === undefined ? process.cwd() : dirname(found.directory);
    await this.#startTelemetry();
    this.#redactor.hideNames(found.compiled.sensitive ?? []);
    const routes = matchCompiled(this.#registered, found.compiled, found.location, {
      inFlight: this.#inFlight,
      limits,
      projectRoot,
    });
    const sites = findSites(this.#options.staticFiles, projectRoot);
    const recorder = this.#makeRecorder(routes, log);
    const meter = this.#makeMeter(log);
    this.#meter = meter;
    const errorFields = this.#plugins.errorFields();
    const onError = this.#plugins.listeners("onError", log);
    const pipeline = new Pipeline({
      tree: found.compiled.tree,
      routes,
      limits,
      reference: apiDocs && ApiReference.of(docs!.path, apiDocs, found.compiled),
      documents: servesDocument ? new ApiDocuments(found.compiled) : null,
      health: health && new Health(health, paths, () => this.#isReady, log),
      files: StaticFiles.of(sites),
      cors,
      csrf: this.#options.csrf && new Csrf(this.#options.csrf),
      settings: {
        serverAdapter: server.name,
        projectRoot,
        errorMiddleware: errorMiddleware ?? createErrorMiddleware({ isDev: isDevelopment }),
        errorWriter:
          errors &&
          new ErrorWriter(errors, found.compiled.errorBody, (error) =>
            log.error("The error format failed", { error }),
          ),
        hasPlainErrors:
          errorMiddleware === undefined &&
          !isDevelopment &&
          errors === null &&
          recorder === null &&
          errorFields === "none" &&
          onError.length === 0,
        errorFields,
        checkResponses: isDevelopment,
        ignoredInput: isDevelopment ? new IgnoredInput() : null,
        log: this.#log,
        clientErrors: this.#options.clientErrors,
        refusedRequests: this.#refusedRequests,
        conditional: this.#options.etag && new Conditional(this.#options.etag),
        requestLog,
        findAddress,
        origin,
        cookies: new Cookies(this.#options.cookieKeys, !isDevelopment),
        inFlight: this.#inFlight.main,
        sockets: this.#options.sockets,
        breaches: this.#breaches,
        refusals: this.#refusals,
        onError,
        recorder,
        meter,
      },
    });
    // An adapter may serve files without the service, unless every request is logged, recorded or measured.
    const isWatched = requestLog !== null || recorder !== null || meter !== null;
    const withFiles =
      sites.length === 0 || isWatched
        ? pipeline
        : servingFiles(pipeline, {
            sites,
            reserved: pipeline.ownPaths,
            headers: cors?.headers(() => undefined) ?? [],
            dependsOnOrigin: cors?.dependsOnOrigin === true,
          });
    const ruled = rules === null ? withFiles : ruledService(withFiles, rules);
    // Compression is outside of the rules, so that it sees all headers. The log is outside of both: it counts bytes.
    const compressed =
      compression === null
        ? ruled
        : // Only applications with compression load `node:zlib`.
          (await import("./compressed-service.ts")).compressedService(ruled, new Compression(compression));
    const service = await testedService(
      requestLog === null ? compressed : loggedService(compressed, requestLog),
    );
    return { found, service, recorder, projectRoot };
  }

  /**
   * Loads telemetry once, if it is on. Telemetry is a plugin that starts before all other plugins and stops after them.
   */
  async #startTelemetry(): Promise<void> {
    const { telemetry: settings, server } = this.#options;
    if (settings === null || this.#telemetry !== null) return;
    const telemetry = (await findTelemetry()).start(settings);
    this.#telemetry = telemetry;
    if (telemetry.onLog !== undefined) this.#log.addSink(telemetry.onLog);
    this.#plugins.addFirst({
      name: "telemetry",
      ...(telemetry.observe !== undefined && { observe: telemetry.observe }),
      onStart: (host) =>
        telemetry.begin({
          requests: host.requests,
          activeRequests: () => this.#meter?.activeCount ?? 0,
          log: host.log,
          serverAdapter: server.name,
          connections: () => host.connections(),
          worker: host.worker,
          workerGroup: host.workerGroup,
        }),
      onStop: () => telemetry.stop(),
    });
  }

  /** Creates the recorder of requests. Returns `null` if no plugin observes requests. */
  #makeRecorder(routes: readonly ExecutableRoute[], log: Logger): Recorder | null {
    const observers = this.#plugins.observers(log).filter(needsRecords);
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

  /** Creates the meter of requests. Returns `null` if no plugin measures requests. */
  #makeMeter(log: Logger): RequestMeter | null {
    const onEnd = this.#plugins.observers(log).flatMap((observer) => observer.onEnd ?? []);
    if (onEnd.length === 0) return null;
    return new RequestMeter(onEnd, (error) => log.error("A plugin failed", { error }));
  }
}
