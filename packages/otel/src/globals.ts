import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import type { MeterProvider } from "@opentelemetry/sdk-metrics";
import type { TracerProvider } from "@opentelemetry/sdk-trace";

/** Providers of OpenTelemetry that other instrumentation is to use. */
export interface Globals {
  readonly tracerProvider: TracerProvider | null;
  readonly meterProvider: MeterProvider | null;
}

/**
 * Registers kit's providers as the global providers of the process, so that other instrumentation reports to
 * them. Providers that the program has already registered stay; their names are in `taken`. `unregister`
 * undoes the registration.
 */
export function registerGlobals({ tracerProvider, meterProvider }: Globals): {
  readonly taken: readonly string[];
  unregister(): void;
} {
  const undo: (() => void)[] = [];
  const taken: string[] = [];
  const note = (name: string, isRegistered: boolean, remove: () => void): void => {
    if (isRegistered) undo.push(remove);
    else taken.push(name);
  };
  if (tracerProvider !== null) {
    const manager = new AsyncLocalStorageContextManager().enable();
    note("context manager", context.setGlobalContextManager(manager), () => context.disable());
    note("tracer provider", trace.setGlobalTracerProvider(tracerProvider), () => trace.disable());
    const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
    const propagator = new CompositePropagator({ propagators });
    note("propagator", propagation.setGlobalPropagator(propagator), () => propagation.disable());
  }
  if (meterProvider !== null)
    note("meter provider", metrics.setGlobalMeterProvider(meterProvider), () => metrics.disable());
  return {
    taken,
    unregister: () => {
      for (const remove of undo) remove();
    },
  };
}
