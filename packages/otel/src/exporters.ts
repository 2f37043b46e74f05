import type { TelemetrySettings } from "@kit/types";
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import {
  ConsoleMetricExporter,
  type PushMetricExporter,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { ConsoleSpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";

/** Exporter for one kind of telemetry. It repeats failed attempts itself. */
export interface Exporter<T> {
  export(items: T[], done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

const nowhere: Exporter<unknown> = {
  export: (_, done) => done({ code: ExportResultCode.SUCCESS }),
  shutdown: () => Promise.resolve(),
};

/**
 * Maximum duration of an export in milliseconds, including repeated attempts. After this time, the items are
 * dropped.
 */
const timeoutMillis = 10_000;

/**
 * Returns the options of the exporter for a signal such as `traces`. Without an endpoint, the exporter reads it from the environment
 * variables of OpenTelemetry.
 */
function place({ endpoint, headers }: TelemetrySettings, signal: string): object {
  return {
    timeoutMillis,
    ...(Object.keys(headers).length > 0 && { headers: { ...headers } }),
    ...(endpoint !== undefined && { url: `${withoutFinalSlashes(endpoint)}/v1/${signal}` }),
  };
}

function withoutFinalSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}

export function spanExporter(settings: TelemetrySettings): Exporter<ReadableSpan> {
  switch (settings.exporter) {
    case "otlp":
      return new OTLPTraceExporter(place(settings, "traces"));
    case "console":
      return new ConsoleSpanExporter();
    default:
      return nowhere;
  }
}

/**
 * Returns the exporter of log entries. The exporter does nothing for `console`, because log entries are on standard output
 * already.
 */
export function logExporter(settings: TelemetrySettings): Exporter<ReadableLogRecord> {
  return settings.exporter === "otlp" ? new OTLPLogExporter(place(settings, "logs")) : nowhere;
}

export function metricExporter(settings: TelemetrySettings): PushMetricExporter {
  switch (settings.exporter) {
    case "otlp":
      return new OTLPMetricExporter(place(settings, "metrics"));
    case "console":
      return new ConsoleMetricExporter();
    default:
      return {
        export: (_, done) => done({ code: ExportResultCode.SUCCESS }),
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      };
  }
}

/** Wraps an exporter of metrics so that it reports the start and the result of each export. */
export function counted(
  exporter: PushMetricExporter,
  begin: () => void,
  settle: (isExported: boolean, error: Error | undefined) => void,
): PushMetricExporter {
  return {
    export: (metrics: ResourceMetrics, done) => {
      begin();
      exporter.export(metrics, (result) => {
        settle(result.code === ExportResultCode.SUCCESS, result.error);
        // Reports success to the SDK, because it would write the failure, which has been reported already, to
        // the console.
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    ...(exporter.selectAggregationTemporality !== undefined && {
      selectAggregationTemporality: exporter.selectAggregationTemporality.bind(exporter),
    }),
    ...(exporter.selectAggregation !== undefined && {
      selectAggregation: exporter.selectAggregation.bind(exporter),
    }),
  };
}
