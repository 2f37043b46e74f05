import type { LogEntry, LogLevel } from "@kit/types";
import { type Attributes, type AnyValue, type SeverityNumber, TraceFlags } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";

import { scope } from "./scope.ts";
import { hrTimeOf } from "./time.ts";

const severities: Readonly<Record<LogLevel, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};

const noSpan = "0".repeat(16);

/** Converts a log entry for exporters. The message becomes the body, all other properties become attributes. */
export function readableLog(entry: LogEntry, resource: Resource): ReadableLogRecord {
  const { level, message, timestamp, traceId, spanId = noSpan, ...others } = entry;
  const time = hrTimeOf(Date.parse(timestamp));
  return {
    hrTime: time,
    hrTimeObserved: time,
    severityNumber: severities[level] as SeverityNumber,
    severityText: level.toUpperCase(),
    body: message,
    // Leaves out undefined values.
    attributes: Object.fromEntries(
      Object.entries(others).filter(([, value]) => value !== undefined),
    ) as Record<string, AnyValue> as Attributes,
    ...(traceId !== undefined && { spanContext: { traceId, spanId, traceFlags: TraceFlags.NONE } }),
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
  };
}
