import { type MetricProducer, MetricReader } from "@opentelemetry/sdk-metrics";

import { type Family, familiesOf } from "./families.ts";

/** Collects metrics when Prometheus reads them. */
export class PullReader extends MetricReader {
  readonly #worker: () => number | null;

  /**
   * Creates a reader. `worker` returns the number of this process among the processes of the application, and `durations` is
   * read together with the metrics of the SDK.
   */
  constructor(worker: () => number | null, durations: MetricProducer) {
    super({ metricProducers: [durations] });
    this.#worker = worker;
  }

  /** Returns the current metrics of this process. */
  async read(): Promise<Family[]> {
    const { resourceMetrics } = await this.collect();
    return familiesOf(resourceMetrics, this.#worker());
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}
