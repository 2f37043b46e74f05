import type { InstrumentationScope } from "@opentelemetry/core";

/** What made the telemetry. */
export const scope: InstrumentationScope = { name: "@kit/otel", version: "0.1.0" };
