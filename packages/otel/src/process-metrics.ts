import { readdirSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

import type { Meter } from "@opentelemetry/api";

const resolutionMs = 20;
/** Minimum duration in milliseconds that the values of the event loop describe. */
const windowMs = 10_000;

/**
 * Registers metrics of this process, with names of OpenTelemetry's semantic conventions. `connections` returns the number of
 * open connections, or `null` if the server does not report the number. Returns a function that ends the measurement.
 */
export function observeProcess(meter: Meter, connections: () => number | null): () => void {
  const gauge = (name: string, unit: string, description: string, read: () => number | null): void =>
    meter.createObservableGauge(name, { unit, description }).addCallback((result) => {
      const value = read();
      if (value !== null) result.observe(value);
    });
  gauge("kit.server.connections", "{connection}", "Open connections", connections);
  meter
    .createObservableCounter("process.cpu.time", { unit: "s", description: "CPU time of the process" })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / 1e6, { "cpu.mode": "user" });
      result.observe(system / 1e6, { "cpu.mode": "system" });
    });
  gauge("process.memory.usage", "By", "Physical memory of the process", () => process.memoryUsage.rss());
  gauge("process.uptime", "s", "Time since the process started", () => process.uptime());
  gauge("process.open_file_descriptor.count", "{file_descriptor}", "Open file descriptors", openFiles);
  gauge("v8js.memory.heap.used", "By", "Used memory of the heap", () => getHeapStatistics().used_heap_size);
  gauge("v8js.memory.heap.limit", "By", "Limit of the heap", () => getHeapStatistics().heap_size_limit);
  return observeEventLoop(gauge);
}

function observeEventLoop(
  gauge: (name: string, unit: string, description: string, read: () => number | null) => void,
): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  let before = performance.eventLoopUtilization();
  let since = performance.now();
  /** Starts a new window if the current one is long enough. All values of one reading are from the same window. */
  const startWindow = (): void => {
    if (performance.now() - since < windowMs) return;
    since = performance.now();
    before = performance.eventLoopUtilization();
    delays.reset();
  };
  const late = (read: () => number) => (): number | null =>
    // The histogram contains the times between two timers, which equal the resolution if there is no delay.
    delays.count === 0 ? null : Math.max(0, read() / 1e9 - resolutionMs / 1e3);
  const delay = (name: string, what: string, read: () => number): void =>
    gauge(`nodejs.eventloop.delay.${name}`, "s", `${what} of the event loop`, late(read));
  delay("p50", "Median delay", () => delays.percentile(50));
  delay("p99", "99th percentile of the delay", () => delays.percentile(99));
  delay("max", "Maximum delay", () => delays.max);
  gauge("nodejs.eventloop.utilization", "1", "Share of time in which the event loop is busy", () => {
    const { utilization } = performance.eventLoopUtilization(before);
    startWindow();
    return utilization;
  });
  return () => delays.disable();
}

/** Returns the number of open file descriptors. `null` if the system has no `/proc`. */
function openFiles(): number | null {
  try {
    // The list includes the descriptor with which it is read.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return null;
  }
}
