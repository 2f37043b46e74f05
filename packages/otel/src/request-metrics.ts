import type { TelemetryCounts } from "@kit/types";
import type { Attributes } from "@opentelemetry/api";
import type { AggregationTemporality, MeterProvider, MetricProducer } from "@opentelemetry/sdk-metrics";

import { DurationHistogram, type Series } from "./duration-histogram.ts";
import { scope } from "./scope.ts";

/** HTTP methods that metrics contain by name. Any other method becomes `_OTHER`, because a client may invent methods. */
const knownMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

/** Series of one route: a series for each method and status. */
interface RouteSeries {
  readonly method: string;
  readonly status: number;
  readonly series: Series;
}

/** Metrics of the requests that the application handles. */
export class RequestMetrics {
  readonly #duration = new DurationHistogram({
    name: "http.server.request.duration",
    description: "Duration of requests, from their arrival to the end of the response",
  });
  /** Series by route. `null` stands for requests without a route. */
  readonly #routes = new Map<string | null, RouteSeries[]>();

  /** Returns a source of the durations for a reader. Counts since the last read if the temporality is `DELTA`. */
  producer(temporality: () => AggregationTemporality): MetricProducer {
    return this.#duration.producer(temporality);
  }

  /** Registers the metrics whose values are read only when metrics are collected. */
  observe(provider: MeterProvider, activeRequests: () => number, counts: () => TelemetryCounts): void {
    const meter = provider.getMeter(scope.name, scope.version);
    meter
      .createObservableCounter("http.server.errors", {
        unit: "{request}",
        description: "Requests that were answered with a status of 400 or above",
      })
      .addCallback((result) => {
        for (const { attributes, errors } of this.#duration.series)
          if (errors > 0) result.observe(errors, attributes);
      });
    meter
      .createObservableUpDownCounter("http.server.active_requests", {
        unit: "{request}",
        description: "Requests in progress",
      })
      .addCallback((result) => result.observe(activeRequests()));
    meter
      .createObservableCounter("kit.telemetry.dropped", {
        unit: "{item}",
        description:
          "Telemetry that was lost, because the queue was full or the collector did not accept the data",
      })
      .addCallback((result) => {
        for (const [kind, { dropped }] of Object.entries(counts())) result.observe(dropped, { kind });
      });
  }

  /** Counts a finished request. Called for each request: finds its series without creating an object. */
  count(route: string | null, method: string, status: number, durationMs: number): void {
    this.#seriesOf(route, method, status).record(durationMs / 1_000, status);
  }

  #seriesOf(route: string | null, method: string, status: number): Series {
    let ofRoute = this.#routes.get(route);
    if (ofRoute === undefined) {
      ofRoute = [];
      this.#routes.set(route, ofRoute);
    }
    const shown = knownMethods.has(method) ? method : "_OTHER";
    // A route has few series, so a loop finds one faster than a map with a composed key.
    for (const one of ofRoute) if (one.status === status && one.method === shown) return one.series;
    const series = this.#duration.add(attributesOf(route, shown, status));
    ofRoute.push({ method: shown, status, series });
    return series;
  }
}

function attributesOf(route: string | null, method: string, status: number): Attributes {
  return {
    "http.request.method": method,
    "http.response.status_code": status,
    ...(route !== null && { "http.route": route.slice(route.indexOf(" ") + 1) }),
    ...(status >= 500 && { "error.type": String(status) }),
  };
}
