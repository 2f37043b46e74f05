import type {
  ExportCounts,
  LogEntry,
  Logger,
  RequestObserver,
  Telemetry,
  TelemetryCounts,
  TelemetryHost,
  TelemetrySettings,
} from "@kit/types";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from "@opentelemetry/resources";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";

import { Counter } from "./counter.ts";
import { ExportLoop } from "./export-loop.ts";
import { logExporter } from "./exporters.ts";
import { registerGlobals } from "./globals.ts";
import { readableLog } from "./logs.ts";
import { Metrics } from "./metrics.ts";
import { Queue } from "./queue.ts";
import { Traces } from "./traces.ts";

/** Maximum duration in milliseconds of the last export of spans and metrics during a shutdown. */
const timeoutMs = 3_000;
const logTimeoutMs = 2_000;
/** Minimum time in milliseconds between two log entries about lost telemetry. */
const lossReportIntervalMs = 60_000;
const logsOfBatch = 512;
const nothing: ExportCounts = { exported: 0, dropped: 0, pending: 0 };

/** Starts telemetry. */
export function start(settings: TelemetrySettings): Telemetry {
  return new RunningTelemetry(settings);
}

class RunningTelemetry implements Telemetry {
  readonly observe: RequestObserver | undefined;
  readonly onLog: ((entry: LogEntry) => void) | undefined;
  readonly #traces: Traces | null;
  readonly #logs: Logs | null;
  readonly #metrics: Metrics | null;
  readonly #globals: ReturnType<typeof registerGlobals>;
  #log: Logger | undefined;
  #lastError: Error | undefined;
  #reportTimer: NodeJS.Timeout | undefined;
  #hasReported = false;

  constructor(settings: TelemetrySettings) {
    const resource = resourceOf(settings);
    const onLoss = (error?: Error): void => {
      this.#lastError = error ?? this.#lastError;
      this.#reportSoon();
    };
    this.#traces = settings.tracing ? new Traces(settings, resource, onLoss) : null;
    this.#logs = settings.logs ? new Logs(settings, resource, onLoss) : null;
    const hasMetrics = settings.metrics || settings.prometheus !== null;
    this.#metrics = hasMetrics ? new Metrics(settings, resource, onLoss) : null;
    const metrics = this.#metrics;
    if (this.#traces !== null || metrics !== null) {
      this.observe = {
        ...this.#traces?.observe,
        ...(metrics !== null && {
          onEnd: (route, method, status, durationMs) =>
            metrics.requests.count(route, method, status, durationMs),
        }),
      };
    }
    const logs = this.#logs;
    this.onLog = logs === null ? undefined : (entry) => logs.queue.add(entry);
    this.#globals = registerGlobals({
      tracerProvider: this.#traces?.provider ?? null,
      meterProvider: metrics?.provider ?? null,
    });
  }

  begin(host: TelemetryHost): void {
    const { requests, log } = host;
    this.#log = log;
    // kit records requests if an observer has more than `onEnd`, as the observer of traces has.
    this.#traces?.begin(requests!);
    this.#metrics?.begin(host, () => this.counts());
    const { taken } = this.#globals;
    if (taken.length > 0) {
      const message = `The program has already registered an OpenTelemetry ${taken.join(", ")}, which kit does not replace`;
      log.warn(`${message}: data of other instrumentation goes to the registered provider, not to kit`);
    }
  }

  counts(): TelemetryCounts {
    const { requests, spans } = this.#traces?.counts() ?? { requests: nothing, spans: nothing };
    return {
      requests,
      spans,
      logs: this.#logs?.counter.counts() ?? nothing,
      metrics: this.#metrics?.counter.counts() ?? nothing,
    };
  }

  async stop(): Promise<void> {
    clearTimeout(this.#reportTimer);
    this.#reportTimer = undefined;
    await Promise.all([this.#traces?.stop(timeoutMs), this.#metrics?.stop(timeoutMs)]);
    // Logs the lost traces and metrics first, so that this log entry is exported too.
    this.#reportLosses();
    await this.#logs?.stop(logTimeoutMs);
    this.#globals.unregister();
  }

  /** Logs a first loss immediately, and later losses at most once per minute. */
  #reportSoon(): void {
    if (this.#reportTimer !== undefined) return;
    const delay = this.#hasReported ? lossReportIntervalMs : 0;
    this.#reportTimer = setTimeout(() => {
      this.#reportTimer = undefined;
      this.#reportLosses();
    }, delay).unref();
  }

  #reportLosses(): void {
    const { requests = 0, spans = 0 } = this.#traces?.takeUnreportedDrops() ?? {};
    const logs = this.#logs?.counter.takeUnreportedDrops() ?? 0;
    const metrics = this.#metrics?.counter.takeUnreportedDrops() ?? 0;
    const lost = { requests, spans, logs, metrics };
    if (Object.values(lost).every((count) => count === 0)) return;
    this.#hasReported = true;
    const error = this.#lastError;
    this.#lastError = undefined;
    this.#log?.warn("Telemetry was lost", { ...lost, ...(error !== undefined && { error }) });
  }
}

/** Exports log entries. */
class Logs {
  readonly counter: Counter;
  readonly queue: Queue<LogEntry>;
  readonly #loop: ExportLoop<ReadableLogRecord>;
  readonly #exporter: ReturnType<typeof logExporter>;

  constructor(settings: TelemetrySettings, resource: Resource, onLoss: (error?: Error) => void) {
    const counter = new Counter(onLoss);
    this.counter = counter;
    const queue = new Queue<LogEntry>(settings.queueSize, counter, () => this.#loop.exportSoon());
    const exporter = logExporter(settings);
    this.queue = queue;
    this.#exporter = exporter;
    this.#loop = new ExportLoop({
      intervalMs: settings.exportIntervalMs,
      take: () => {
        const entries = queue.take(logsOfBatch);
        if (entries.length === 0) return undefined;
        const items = entries.map((entry) => readableLog(entry, resource));
        return { items, complete: (isExported) => counter.complete(items.length, isExported) };
      },
      send: (records, done) => exporter.export(records, done),
      onFailure: onLoss,
    });
  }

  async stop(withinMs: number): Promise<void> {
    await this.#loop.stop(withinMs);
    // Not awaited, because the exporter continues to repeat an export whose result no longer matters.
    void this.#exporter.shutdown().catch(() => undefined);
  }
}

function resourceOf({ serviceName }: TelemetrySettings): Resource {
  const environment = detectResources({ detectors: [envDetector] });
  const own = serviceName === undefined ? {} : { "service.name": serviceName };
  return defaultResource().merge(environment).merge(resourceFromAttributes(own));
}
