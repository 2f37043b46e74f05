import type { PrometheusSettings, TelemetryExporter, TelemetrySettings } from "@kit/types";

import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { suggestName } from "./suggestion.ts";

/**
 * Options for traces, metrics and logs, sent to a collector with the OpenTelemetry protocol. Requires the package
 * `@kit/otel`.
 */
export interface TelemetryOptions {
  /** True to export spans. Default false. */
  readonly tracing?: boolean;
  /** True to export metrics. Default false. */
  readonly metrics?: boolean;
  /** True to export log entries. Default: true if traces or metrics are exported with `otlp`. */
  readonly logs?: boolean;
  /**
   * Exporter. `otlp` sends to a collector over HTTP. `console` prints spans and metrics. `none` exports nothing, but
   * spans and metrics are still recorded. Default `otlp`.
   */
  readonly exporter?: TelemetryExporter;
  /**
   * URL of the collector, without a path such as `/v1/traces`. Default: `OTEL_EXPORTER_OTLP_ENDPOINT`, or
   * `http://localhost:4318` if the variable is not set.
   */
  readonly endpoint?: string;
  /**
   * Name of the application in telemetry. Default: `OTEL_SERVICE_NAME`, or `unknown_service:node` if the variable is
   * not set.
   */
  readonly serviceName?: string;
  /**
   * Headers of each request to the collector, such as `{ authorization: … }`. Default: `OTEL_EXPORTER_OTLP_HEADERS`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Share of traces to sample, from 0 to 1. Default 1. Does not apply to requests with a `traceparent` header, which
   * contains the decision of the client.
   */
  readonly sampleRatio?: number;
  /**
   * Maximum number of requests, spans or log entries that wait for export. Each of the three has its own queue of this
   * size, from 1 to 65,536, default 2,048. Further items are dropped and counted.
   */
  readonly queueSize?: number;
  /** Milliseconds between two exports of spans and log entries. Default 1,000. */
  readonly exportIntervalMs?: number;
  /** Milliseconds between two exports of metrics. Default 60,000. */
  readonly metricsIntervalMs?: number;
  /**
   * True, or an address, to let Prometheus read the metrics at `GET /metrics` of a port of its own, which is not the port
   * of the application. Does not depend on `metrics` and `exporter`. Default false.
   */
  readonly prometheus?: boolean | PrometheusOptions;
}

/** Address at which Prometheus reads the metrics. */
export interface PrometheusOptions {
  /** Port; 0 for a free one. Default: `OTEL_EXPORTER_PROMETHEUS_PORT`, or 9464 if the variable is not set. */
  readonly port?: number;
  /**
   * Address to listen on. Default: `OTEL_EXPORTER_PROMETHEUS_HOST`, or 127.0.0.1 if the variable is not set. Everyone who
   * can reach another address, such as `0.0.0.0`, can read the metrics.
   */
  readonly hostname?: string;
}

const known: Readonly<Record<keyof TelemetryOptions, true>> = {
  tracing: true,
  metrics: true,
  logs: true,
  exporter: true,
  endpoint: true,
  serviceName: true,
  headers: true,
  sampleRatio: true,
  queueSize: true,
  exportIntervalMs: true,
  metricsIntervalMs: true,
  prometheus: true,
};
const knownOfPrometheus: Readonly<Record<keyof PrometheusOptions, true>> = { port: true, hostname: true };
const exporters: readonly unknown[] = ["otlp", "console", "none"] satisfies TelemetryExporter[];
const greatestQueue = 65_536;

/**
 * Reads the option `telemetry`. Returns `null` if all telemetry is off.
 *
 * @throws {TypeError} If an option is invalid. The message names the option.
 */
export function readTelemetry(options: TelemetryOptions): TelemetrySettings | null {
  if (typeof options !== "object" || options === null) throw wrong("", "an object", options);
  requireKnown(options, known, "telemetry.");
  const { tracing = false, metrics = false, exporter = "otlp" } = options;
  const { logs = exporter === "otlp" && (tracing || metrics) } = options;
  const { endpoint, serviceName, headers = {}, sampleRatio = 1, queueSize = 2_048 } = options;
  const { exportIntervalMs = 1_000, metricsIntervalMs = 60_000 } = options;
  for (const [name, value] of Object.entries({ tracing, metrics, logs }))
    if (typeof value !== "boolean") throw wrong(name, "true or false", value);
  if (!exporters.includes(exporter)) throw wrong("exporter", `one of ${exporters.join(", ")}`, exporter);
  if (endpoint !== undefined && !isHttpUrl(endpoint))
    throw wrong("endpoint", "a URL such as http://localhost:4318", endpoint);
  if (serviceName !== undefined && (typeof serviceName !== "string" || serviceName === ""))
    throw wrong("serviceName", "a string", serviceName);
  if (typeof headers !== "object" || headers === null || Object.values(headers).some(isNoText))
    throw new TypeError("createApp: `telemetry.headers` must be an object of strings");
  if (typeof sampleRatio !== "number" || !(sampleRatio >= 0 && sampleRatio <= 1))
    throw wrong("sampleRatio", "a number from 0 to 1", sampleRatio);
  if (!Number.isInteger(queueSize) || queueSize < 1 || queueSize > greatestQueue)
    throw wrong("queueSize", `a whole number from 1 to ${greatestQueue}`, queueSize);
  for (const [name, value] of Object.entries({ exportIntervalMs, metricsIntervalMs }))
    if (!isMilliseconds(value) || value === 0)
      throw wrong(name, `a whole number of milliseconds from 1 to ${longestTimeoutMs}`, value);
  const prometheus = readPrometheus(options.prometheus ?? false);
  if (!tracing && !metrics && !logs && prometheus === null) return null;
  return {
    tracing,
    metrics,
    logs,
    exporter,
    endpoint,
    serviceName,
    headers,
    sampleRatio,
    queueSize,
    exportIntervalMs,
    metricsIntervalMs,
    prometheus,
  };
}

function readPrometheus(option: boolean | PrometheusOptions): PrometheusSettings | null {
  if (option === false) return null;
  if (option !== true && (typeof option !== "object" || option === null))
    throw wrong("prometheus", "true, false or an object", option);
  const { port, hostname } = option === true ? {} : option;
  if (option !== true) requireKnown(option, knownOfPrometheus, "telemetry.prometheus.");
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw wrong("prometheus.port", "a whole number from 0 to 65535", port);
  if (hostname !== undefined && (typeof hostname !== "string" || hostname === ""))
    throw wrong("prometheus.hostname", "a string", hostname);
  return { port, hostname };
}

function requireKnown(options: object, names: Readonly<Record<string, true>>, prefix: string): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const near = suggestName(name, Object.keys(names));
    throw new TypeError(`createApp: there is no option \`${prefix}${name}\`${near}`);
  }
}

function isNoText(value: unknown): boolean {
  return typeof value !== "string";
}

function isHttpUrl(text: unknown): boolean {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function wrong(name: string, expected: string, found: unknown): TypeError {
  const where = name === "" ? "telemetry" : `telemetry.${name}`;
  return new TypeError(`createApp: \`${where}\` must be ${expected}, not ${String(found)}`);
}
