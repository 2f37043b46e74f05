import type { InstrumentationScope } from "@opentelemetry/core";

/** Instrumentation scope of kit's telemetry. */
export const scope: InstrumentationScope = { name: "@kit/otel", version: "0.1.0" };
