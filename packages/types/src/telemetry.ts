import type { LogEntry, Logger } from "./log.ts";
import type { RequestHistory, RequestObserver } from "./observe.ts";

/** Where telemetry goes. */
export type TelemetryExporter = "otlp" | "console" | "none";

/** What `createApp` tells `@kit/otel`: its `telemetry`, checked and with defaults. */
export interface TelemetrySettings {
  readonly tracing: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  readonly exporter: TelemetryExporter;
  /** Without the path of a signal: `http://localhost:4318`. Nothing: what `OTEL_EXPORTER_OTLP_ENDPOINT` says, else that. */
  readonly endpoint: string | undefined;
  /** Nothing: what `OTEL_SERVICE_NAME` says. */
  readonly serviceName: string | undefined;
  /** Of each request to the collector. */
  readonly headers: Readonly<Record<string, string>>;
  /** The share of traces that is sampled, of those that no client decided on: 0 to 1. */
  readonly sampleRatio: number;
  /** How many requests, spans and log entries may wait for their export, each. */
  readonly queueSize: number;
  /** Milliseconds between two exports of spans and log entries. */
  readonly exportIntervalMs: number;
  /** Milliseconds between two exports of metrics. */
  readonly metricsIntervalMs: number;
}

/** What became of one kind of telemetry since the start. */
export interface ExportCounts {
  /** Taken by the exporter. */
  readonly exported: number;
  /** Lost: the queue was full, or the collector did not take it in time. */
  readonly dropped: number;
  /** Waiting, or being sent. */
  readonly pending: number;
}

/** What became of telemetry since the start; the three numbers of a kind add up to all there was. */
export interface TelemetryCounts {
  /** Sampled requests, each with all of its spans. */
  readonly requests: ExportCounts;
  /** Spans of other instrumentation: of `pg`, of `fetch`. */
  readonly spans: ExportCounts;
  /** Log entries. */
  readonly logs: ExportCounts;
  /** Collections of all metrics. */
  readonly metrics: ExportCounts;
}

/** Telemetry at work. */
export interface Telemetry {
  /** What it wants to see of requests. */
  readonly observe: RequestObserver;
  /** Takes a log entry; nothing where logs are not exported. */
  readonly onLog: ((entry: LogEntry) => void) | undefined;
  /** Begins to export. */
  begin(host: TelemetryHost): void;
  counts(): TelemetryCounts;
  /** Exports what is there, for a few seconds at most, and stops. Never rejects. */
  stop(): Promise<void>;
}

/** What telemetry reads. */
export interface TelemetryHost {
  readonly requests: RequestHistory;
  readonly log: Logger;
  readonly serverAdapter: string;
}

/** The `telemetry` that `@kit/otel` exports for the runtime. */
export interface TelemetryModule {
  /** Version of this interface; the runtime refuses another one. */
  readonly version: 1;
  start(settings: TelemetrySettings): Telemetry;
}
