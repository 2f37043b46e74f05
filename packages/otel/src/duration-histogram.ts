import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";

import { scope } from "./scope.ts";

/** Upper bounds of the histogram's buckets in seconds, as the semantic conventions of OpenTelemetry recommend. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Maximum number of series, as in the SDK. Further combinations of attributes share one series. */
const mostSeries = 2_000;

type Value = HistogramMetricData["dataPoints"][number]["value"];

/** Counts of one combination of attributes since the start. */
export class Series {
  readonly attributes: Attributes;
  count = 0;
  /** Number of requests whose status is 400 or above. */
  errors = 0;
  sum = 0;
  min: number = Infinity;
  max = 0;
  readonly buckets: Float64Array = new Float64Array(boundaries.length + 1);

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }

  record(seconds: number, status: number): void {
    this.count += 1;
    if (status >= 400) this.errors += 1;
    this.sum += seconds;
    if (seconds < this.min) this.min = seconds;
    if (seconds > this.max) this.max = seconds;
    let index = 0;
    // Most requests belong to the first bucket. The upper bound belongs to its bucket.
    while (index < boundaries.length && seconds > boundaries[index]!) index += 1;
    this.buckets[index]! += 1;
  }
}

/** Counts of a series at the last read with the temporality `DELTA`. */
interface LastRead {
  readonly count: number;
  readonly sum: number;
  readonly buckets: Float64Array;
}

/**
 * Histogram of the durations of requests. The histogram of the SDK computes a text from the attributes for each value, which costs more
 * than everything else that metrics do for a request. The caller of this histogram keeps the series instead.
 */
export class DurationHistogram {
  readonly #name: string;
  readonly #description: string;
  readonly #startTime: HrTime = millisToHrTime(Date.now());
  readonly #series: Series[] = [];
  #overflow: Series | undefined;

  constructor({ name, description }: { readonly name: string; readonly description: string }) {
    this.#name = name;
    this.#description = description;
  }

  /** All series, in the order of their first request. */
  get series(): readonly Series[] {
    return this.#series;
  }

  /** Creates a series. After too many, returns a series that they share. */
  add(attributes: Attributes): Series {
    if (this.#series.length < mostSeries - 1) {
      const series = new Series(attributes);
      this.#series.push(series);
      return series;
    }
    if (this.#overflow === undefined) {
      this.#overflow = new Series({ "otel.metric.overflow": true });
      this.#series.push(this.#overflow);
    }
    return this.#overflow;
  }

  /** Returns a source for one reader. `temporality` is called at each read. */
  producer(temporality: () => AggregationTemporality): MetricProducer {
    const last = new Map<Series, LastRead>();
    let lastTime = this.#startTime;
    return {
      collect: () => {
        const isDelta = temporality() === AggregationTemporality.DELTA;
        const startTime = isDelta ? lastTime : this.#startTime;
        const endTime = millisToHrTime(Date.now());
        lastTime = endTime;
        const dataPoints = this.#series.flatMap((series) => {
          const value = isDelta ? changeOf(series, last) : totalOf(series);
          return value.count === 0 ? [] : [{ startTime, endTime, attributes: series.attributes, value }];
        });
        const metric: HistogramMetricData = {
          descriptor: {
            name: this.#name,
            description: this.#description,
            unit: "s",
            valueType: ValueType.DOUBLE,
          },
          aggregationTemporality: isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints,
        };
        const metrics = dataPoints.length === 0 ? [] : [metric];
        // The reader replaces the resource with the resource of the SDK.
        const resourceMetrics = { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] };
        return Promise.resolve({ resourceMetrics, errors: [] });
      },
    };
  }
}

/** Returns the counts since the start. */
function totalOf({ count, sum, min, max, buckets }: Series): Value {
  return { count, sum, min, max, buckets: { boundaries, counts: [...buckets] } };
}

/** Returns the counts since the last read, without smallest and greatest duration, which only the whole series has. */
function changeOf(series: Series, last: Map<Series, LastRead>): Value {
  const { count, sum, buckets } = series;
  const before = last.get(series);
  last.set(series, { count, sum, buckets: buckets.slice() });
  const counts = [...buckets].map((value, index) => value - (before?.buckets[index] ?? 0));
  return {
    count: count - (before?.count ?? 0),
    sum: sum - (before?.sum ?? 0),
    buckets: { boundaries, counts },
  };
}
