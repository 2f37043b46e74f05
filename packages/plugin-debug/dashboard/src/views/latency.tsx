import type { JSX } from "preact";

import type { Series } from "../../../src/responses/shapes.ts";
import { Chart } from "../parts/chart.tsx";
import { Empty, Failure, Loading } from "../parts/basic.tsx";
import { query } from "../state/api.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { duration, rate } from "../text/format.ts";
import { withGaps } from "../text/slices.ts";

/** Charts of the percentiles and throughput of one route or of all routes in a window. */
export function LatencyCharts({
  route,
  window,
}: {
  readonly route?: string;
  readonly window: string;
}): JSX.Element {
  const { value, failure } = useSidecarData<Series>(`performance/series${query({ route, window })}`, 3_000);
  if (value === undefined)
    return failure === undefined ? <Loading what="latencies" /> : <Failure failure={failure} />;
  if (value.slices.length === 0) {
    return (
      <Empty title="No requests in this window">
        Latencies stand here as soon as one was answered; a longer window may have some.
      </Empty>
    );
  }
  const slices = withGaps(value);
  const times = slices.map(({ start }) => start + value.sliceMs / 2);
  const range = [Date.parse(value.since), Date.now()] as const;
  const of = (name: "p50" | "p95" | "p99" | "throughput"): (number | null)[] =>
    slices.map((slice) => slice[name]);
  return (
    <div class="charts">
      <Chart
        title="Latency"
        times={times}
        range={range}
        format={duration}
        lines={[
          { label: "p50", values: of("p50"), tone: "first" },
          { label: "p95", values: of("p95"), tone: "second" },
          { label: "p99", values: of("p99"), tone: "third" },
        ]}
      />
      <Chart
        title="Throughput"
        times={times}
        range={range}
        format={rate}
        lines={[
          { label: "requests", values: of("throughput"), tone: "first", isFilled: true },
          {
            label: "failed (5xx)",
            values: slices.map(({ failed, count, throughput }) =>
              count === 0 ? 0 : (throughput * failed) / count,
            ),
            tone: "bad",
          },
        ]}
      />
    </div>
  );
}
