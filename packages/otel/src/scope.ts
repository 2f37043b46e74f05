import type { InstrumentationScope } from "@opentelemetry/core";

/** Name and version of the instrumentation that kit's telemetry comes from. */
export const scope: InstrumentationScope = { name: "@kit/otel", version: "0.1.0" };
