import type { LogEntry, Logger } from "./log.ts";
import type { RequestHistory, RequestObserver } from "./observe.ts";

/** Destination of telemetry. */
export type TelemetryExporter = "otlp" | "console" | "none";

/** Address at which Prometheus reads the metrics. */
export interface PrometheusSettings {
  /** Port. If `undefined`, `@kit/otel` uses `OTEL_EXPORTER_PROMETHEUS_PORT`, or 9464 if the variable is not set. */
  readonly port: number | undefined;
  /**
   * Address to listen on. If `undefined`, `@kit/otel` uses `OTEL_EXPORTER_PROMETHEUS_HOST`, or 127.0.0.1 if the variable is
   * not set.
   */
  readonly hostname: string | undefined;
}

/** Options `telemetry` of `createApp`, validated and with defaults, for `@kit/otel`. */
export interface TelemetrySettings {
  /** True to export spans. */
  readonly tracing: boolean;
  /** True to export metrics. */
  readonly metrics: boolean;
  /** True to export log entries. */
  readonly logs: boolean;
  /** Destination of the telemetry. */
  readonly exporter: TelemetryExporter;
  /**
   * URL of the collector without a path such as `/v1/traces`: `http://localhost:4318`. If `undefined`, `@kit/otel` uses
   * `OTEL_EXPORTER_OTLP_ENDPOINT`, or that URL if the variable is not set.
   */
  readonly endpoint: string | undefined;
  /** Name of the service. If `undefined`, `@kit/otel` uses `OTEL_SERVICE_NAME`. */
  readonly serviceName: string | undefined;
  /** Headers of each request to the collector. */
  readonly headers: Readonly<Record<string, string>>;
  /** Share of traces to sample, from 0 to 1. Does not apply to requests with a `traceparent` header. */
  readonly sampleRatio: number;
  /** Maximum number of requests, spans or log entries that wait for export. Each of the three has its own queue. */
  readonly queueSize: number;
  /** Milliseconds between two exports of spans and log entries. */
  readonly exportIntervalMs: number;
  /** Milliseconds between two exports of metrics. */
  readonly metricsIntervalMs: number;
  /** Address at which Prometheus reads the metrics. `null` if Prometheus does not read them. */
  readonly prometheus: PrometheusSettings | null;
}

/** Counts of one kind of telemetry since the start. */
export interface ExportCounts {
  /** Number of items that the exporter accepted. */
  readonly exported: number;
  /** Number of lost items: the queue was full, or the collector did not accept the items in time. */
  readonly dropped: number;
  /** Number of items that wait or are being sent. */
  readonly pending: number;
}

/** Counts of telemetry since the start. For each kind, the three counts add up to the number of recorded items. */
export interface TelemetryCounts {
  /** Sampled requests, each with all of its spans. */
  readonly requests: ExportCounts;
  /** Spans of other instrumentation, such as `pg` and `fetch`. */
  readonly spans: ExportCounts;
  /** Log entries. */
  readonly logs: ExportCounts;
  /** Exports of metrics. One item contains the values of all metrics at one time. */
  readonly metrics: ExportCounts;
}

/** Exporter of traces, log records and metrics, created when the application starts. */
export interface Telemetry {
  /** Observer of requests. `undefined` if neither traces nor metrics are collected. */
  readonly observe: RequestObserver | undefined;
  /** Receives a log entry. `undefined` if logs are not exported. */
  readonly onLog: ((entry: LogEntry) => void) | undefined;
  /** Starts to export. */
  begin(host: TelemetryHost): void;
  /** Returns the counts since the start. */
  counts(): TelemetryCounts;
  /** Exports the waiting items, for a few seconds at most, then stops. Never rejects. */
  stop(): Promise<void>;
}

/** Parts of the application that telemetry reads. */
export interface TelemetryHost {
  /** Requests of the application. `null` if kit does not record them, because only metrics are collected. */
  readonly requests: RequestHistory | null;
  /** Returns the number of requests that have begun and not ended. */
  activeRequests(): number;
  /** Logger of the application. */
  readonly log: Logger;
  /** Name of the server adapter. */
  readonly serverAdapter: string;
  /** Returns the number of open connections. `null` if the adapter does not report the number. */
  connections(): number | null;
  /** Number of this process among the processes of the application, from 1. `null` if there is only one process. */
  readonly worker: number | null;
  /** Secret that the processes of the application share. `null` if there is only one process. */
  readonly workerGroup: string | null;
}

/** Interface of `@kit/otel` for the runtime: its export `telemetry`. */
export interface TelemetryModule {
  /** Version of this interface. The runtime refuses other versions. */
  readonly version: 1;
  /** Creates the telemetry of an application. It exports nothing before {@link Telemetry.begin}. */
  start(settings: TelemetrySettings): Telemetry;
}
