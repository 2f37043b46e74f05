import type { FinishedRequestView, RequestHistory, TelemetryCounts } from "@kit/types";
import type { Attributes, Counter, Histogram } from "@opentelemetry/api";
import type { MeterProvider } from "@opentelemetry/sdk-metrics";

import { scope } from "./scope.ts";

/** Upper bounds of the histogram's buckets in seconds, as the semantic conventions of OpenTelemetry recommend. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
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

/** Metrics of the requests that the application handles. */
export class RequestMetrics {
  readonly #duration: Histogram;
  readonly #errors: Counter;
  readonly #provider: MeterProvider;
  /**
   * Attributes of a request: by route number, then by status and method. They are created once, because
   * creating them takes longer than the rest of `count`.
   */
  readonly #attributes = new Map<number, Map<string, Attributes>>();

  constructor(provider: MeterProvider) {
    this.#provider = provider;
    this.#duration = this.#meter().createHistogram("http.server.request.duration", {
      unit: "s",
      description: "Duration of requests, from their arrival to the end of the response",
      advice: { explicitBucketBoundaries: boundaries },
    });
    this.#errors = this.#meter().createCounter("http.server.errors", {
      unit: "{request}",
      description: "Requests that were answered with a status of 400 or above",
    });
  }

  #meter(): ReturnType<MeterProvider["getMeter"]> {
    return this.#provider.getMeter(scope.name, scope.version);
  }

  /** Registers the metrics whose values are read only when metrics are collected. */
  observe(requests: RequestHistory, counts: () => TelemetryCounts): void {
    const meter = this.#meter();
    meter
      .createObservableUpDownCounter("http.server.active_requests", {
        unit: "{request}",
        description: "Requests in progress",
      })
      .addCallback((result) => result.observe(requests.activeCount));
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

  /** Counts a finished request. */
  count(request: FinishedRequestView): void {
    const attributes = this.#attributesOf(request);
    this.#duration.record(request.durationMs / 1_000, attributes);
    if (request.status >= 400) this.#errors.add(1, attributes);
  }

  #attributesOf({ routeNumber, route, method, status }: FinishedRequestView): Attributes {
    let ofRoute = this.#attributes.get(routeNumber);
    if (ofRoute === undefined) {
      ofRoute = new Map();
      this.#attributes.set(routeNumber, ofRoute);
    }
    const shown = knownMethods.has(method) ? method : "_OTHER";
    const key = `${status} ${shown}`;
    let attributes = ofRoute.get(key);
    if (attributes === undefined) {
      attributes = {
        "http.request.method": shown,
        "http.response.status_code": status,
        ...(route !== null && { "http.route": route.slice(route.indexOf(" ") + 1) }),
        ...(status >= 500 && { "error.type": String(status) }),
      };
      ofRoute.set(key, attributes);
    }
    return attributes;
  }
}
