/**
 * OpenTelemetry for kit. `createApp` loads this module if the option `telemetry` is set; a program does not import it.
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

/** Entry point of this package. The runtime starts telemetry with it. */
export const telemetry: TelemetryModule = { version: 1, start };
