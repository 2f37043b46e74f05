import type { TelemetryExporter, TelemetrySettings } from "@kit/types";

import { isMilliseconds, longestTimeoutMs } from "./milliseconds.ts";
import { meant } from "./unknown-name.ts";

/** Traces, metrics and logs for a collector that speaks OpenTelemetry's protocol. Needs the package `@kit/otel`. */
export interface TelemetryOptions {
  /** Whether spans are exported; default false. */
  readonly tracing?: boolean;
  /** Whether metrics are exported; default false. */
  readonly metrics?: boolean;
  /** Whether log entries are exported too; default: where traces or metrics are, to `otlp`. */
  readonly logs?: boolean;
  /** `otlp` sends to a collector over HTTP, `console` prints spans and metrics, `none` does neither and lets everything else be as with them; default `otlp`. */
  readonly exporter?: TelemetryExporter;
  /** The collector, without the path of a signal; default `OTEL_EXPORTER_OTLP_ENDPOINT`, else `http://localhost:4318`. */
  readonly endpoint?: string;
  /** Names the application among others; default `OTEL_SERVICE_NAME`, else `unknown_service:node`. */
  readonly serviceName?: string;
  /** Headers of each request to the collector, `{ authorization: … }`; default `OTEL_EXPORTER_OTLP_HEADERS`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The share of traces that is sampled, 0 to 1; default 1. A client that sends a `traceparent` has decided already. */
  readonly sampleRatio?: number;
  /** How many requests, spans and log entries may wait for their export, each; more are dropped and counted. Default 2,048. */
  readonly queueSize?: number;
  /** Milliseconds between two exports of spans and log entries; default 1,000. */
  readonly exportIntervalMs?: number;
  /** Milliseconds between two exports of metrics; default 60,000. */
  readonly metricsIntervalMs?: number;
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
};
const exporters: readonly unknown[] = ["otlp", "console", "none"] satisfies TelemetryExporter[];
const greatestQueue = 65_536;

/**
 * Reads the option `telemetry`; nothing where all of it is off.
 *
 * @throws {TypeError} that names what is wrong.
 */
export function readTelemetry(options: TelemetryOptions): TelemetrySettings | null {
  if (typeof options !== "object" || options === null) throw wrong("", "an object", options);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const near = meant(name, Object.keys(known));
    throw new TypeError(`createApp: there is no option \`telemetry.${name}\`${near}`);
  }
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
    throw wrong("serviceName", "a text", serviceName);
  if (typeof headers !== "object" || headers === null || Object.values(headers).some(isNoText))
    throw new TypeError("createApp: `telemetry.headers` must be an object of texts");
  if (typeof sampleRatio !== "number" || !(sampleRatio >= 0 && sampleRatio <= 1))
    throw wrong("sampleRatio", "a number from 0 to 1", sampleRatio);
  if (!Number.isInteger(queueSize) || queueSize < 1 || queueSize > greatestQueue)
    throw wrong("queueSize", `a whole number from 1 to ${greatestQueue}`, queueSize);
  for (const [name, value] of Object.entries({ exportIntervalMs, metricsIntervalMs }))
    if (!isMilliseconds(value) || value === 0)
      throw wrong(name, `a whole number of milliseconds from 1 to ${longestTimeoutMs}`, value);
  if (!tracing && !metrics && !logs) return null;
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
  };
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
