// Tests the counts of the histogram of durations, which do not go through the SDK of OpenTelemetry.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { AggregationTemporality, type HistogramMetricData } from "@opentelemetry/sdk-metrics";

import { DurationHistogram } from "../src/duration-histogram.ts";
import { RequestMetrics } from "../src/request-metrics.ts";

type Producer = ReturnType<DurationHistogram["producer"]>;
const { CUMULATIVE, DELTA } = AggregationTemporality;

async function read(producer: Producer): Promise<HistogramMetricData | undefined> {
  const { resourceMetrics } = await producer.collect();
  return resourceMetrics.scopeMetrics[0]!.metrics[0] as HistogramMetricData | undefined;
}

const make = (): DurationHistogram => new DurationHistogram({ name: "durations", description: "" });

describe("the histogram of durations", () => {
  it("counts a duration that equals an upper bound in the bucket of that bound", async () => {
    const histogram = make();
    const series = histogram.add({});
    for (const seconds of [0, 0.005, 0.0051, 10, 10.5, 3_600]) series.record(seconds, 200);
    const { value } = (await read(histogram.producer(() => CUMULATIVE)))!.dataPoints[0]!;
    assert.deepEqual(value.buckets.counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    assert.equal(value.count, 6);
    assert.equal(value.min, 0);
    assert.equal(value.max, 3_600);
    assert.ok(Math.abs(value.sum! - 3_620.5101) < 1e-9);
  });

  it("gives each reader with the temporality DELTA only what changed since its own last read", async () => {
    const histogram = make();
    const series = histogram.add({});
    const [delta, total] = [histogram.producer(() => DELTA), histogram.producer(() => CUMULATIVE)];
    assert.equal(await read(delta), undefined);
    series.record(0.02, 200);
    const first = (await read(delta))!;
    assert.equal(first.aggregationTemporality, DELTA);
    assert.equal(first.dataPoints[0]!.value.count, 1);
    assert.equal(await read(delta), undefined);
    series.record(0.3, 200);
    const second = (await read(delta))!.dataPoints[0]!;
    assert.deepEqual(second.value.buckets.counts, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert.ok(Math.abs(second.value.sum! - 0.3) < 1e-12);
    // A period begins at or after the end of the period before.
    const [startSeconds, startNanos] = second.startTime;
    const [endSeconds, endNanos] = first.dataPoints[0]!.endTime;
    assert.ok(startSeconds > endSeconds || (startSeconds === endSeconds && startNanos >= endNanos));
    assert.equal((await read(total))!.dataPoints[0]!.value.count, 2);
  });

  it("counts further combinations in one series after 1,999", async () => {
    const histogram = make();
    for (let status = 0; status < 2_500; status += 1) histogram.add({ status }).record(1, status);
    const { dataPoints } = (await read(histogram.producer(() => CUMULATIVE)))!;
    assert.equal(dataPoints.length, 2_000);
    const last = dataPoints.at(-1)!;
    assert.deepEqual(last.attributes, { "otel.metric.overflow": true });
    assert.equal(last.value.count, 501);
  });
});

it("counts methods that clients invent in one series", async () => {
  const metrics = new RequestMetrics();
  for (let number = 0; number < 100; number += 1) metrics.count(null, `M${number}`, 404, 1);
  const { dataPoints } = (await read(metrics.producer(() => CUMULATIVE)))!;
  assert.deepEqual(
    dataPoints.map(({ attributes, value }) => [attributes["http.request.method"], value.count]),
    [["_OTHER", 100]],
  );
});
