import type { TelemetryCounts, TelemetryHost, TelemetrySettings } from "@kit/types";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type IMetricReader,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";

import { Counter } from "./counter.ts";
import { counted, metricExporter } from "./exporters.ts";
import { observeProcess } from "./process-metrics.ts";
import { addressOf } from "./prometheus/address.ts";
import { MetricsListener } from "./prometheus/listener.ts";
import { PullReader } from "./prometheus/pull-reader.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { scope } from "./scope.ts";

/** Collects metrics: exports them at intervals, and lets Prometheus read them. */
export class Metrics {
  readonly counter: Counter;
  readonly provider: MeterProvider;
  readonly requests: RequestMetrics = new RequestMetrics();
  readonly #prometheus: {
    readonly reader: PullReader;
    readonly port: number;
    readonly hostname: string;
  } | null;
  #listener: MetricsListener | null = null;
  #worker: number | null = null;
  #endObservation: (() => void) | undefined;
  #isOver = false;

  /** @throws {TypeError} If the environment variables of OpenTelemetry name no valid address for Prometheus. */
  constructor(settings: TelemetrySettings, resource: Resource, onLoss: (error?: Error) => void) {
    this.counter = new Counter(onLoss);
    const { prometheus } = settings;
    const durations = this.requests.producer(() => AggregationTemporality.CUMULATIVE);
    this.#prometheus =
      prometheus === null
        ? null
        : { reader: new PullReader(() => this.#worker, durations), ...addressOf(prometheus) };
    const readers: IMetricReader[] = this.#prometheus === null ? [] : [this.#prometheus.reader];
    if (settings.metrics) readers.push(this.#exportingReader(settings, onLoss));
    this.provider = new MeterProvider({ resource, readers });
  }

  /** Begins to measure the process, and to listen for Prometheus. */
  begin(host: TelemetryHost, counts: () => TelemetryCounts): void {
    const { log, worker, workerGroup } = host;
    this.#worker = worker;
    this.requests.observe(this.provider, () => host.activeRequests(), counts);
    this.#endObservation = observeProcess(this.provider.getMeter(scope.name, scope.version), () =>
      host.connections(),
    );
    if (this.#prometheus === null) return;
    const { reader, port, hostname } = this.#prometheus;
    const read = () => reader.read();
    this.#listener = new MetricsListener({ port, hostname, read, log, worker, group: workerGroup });
    this.#listener.start();
  }

  /** Collects and exports the metrics a last time, then stops. */
  async stop(withinMs: number): Promise<void> {
    await this.#listener?.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    // A failure has been counted already, and must not prevent the shutdown.
    await Promise.race([this.provider.shutdown().catch(() => undefined), promise]);
    clearTimeout(timer);
    this.#endObservation?.();
    this.#isOver = true;
    this.counter.drop(this.counter.counts().pending);
  }

  #exportingReader(settings: TelemetrySettings, onLoss: (error?: Error) => void): IMetricReader {
    const exporter = counted(
      metricExporter(settings),
      () => this.counter.add(1),
      (isExported, error) => {
        if (this.#isOver) return;
        this.counter.complete(1, isExported);
        if (!isExported) onLoss(error);
      },
    );
    const { metricsIntervalMs } = settings;
    const reader: IMetricReader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: metricsIntervalMs,
      exportTimeoutMillis: Math.min(metricsIntervalMs, 30_000),
      metricProducers: [
        this.requests.producer(() => reader.selectAggregationTemporality(InstrumentType.HISTOGRAM)),
      ],
    });
    return reader;
  }
}
