/**
 * OpenTelemetry for kit. `createApp` loads it where its `telemetry` is on; nothing else has to be imported.
 *
 * @example
 * ```ts
 * const app = createApp({
 *   server: nativeServer(),
 *   routes,
 *   telemetry: { tracing: true, metrics: true, endpoint: "http://localhost:4318", serviceName: "notes" },
 * });
 * ```
 * @module
 */
import type { TelemetryModule } from "@kit/types";

import { start } from "./start.ts";

export type {
  ExportCounts,
  Telemetry,
  TelemetryCounts,
  TelemetryExporter,
  TelemetryModule,
  TelemetrySettings,
} from "@kit/types";

/** What the runtime starts. */
export const telemetry: TelemetryModule = { version: 1, start };
