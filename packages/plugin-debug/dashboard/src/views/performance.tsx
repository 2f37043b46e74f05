import type { JSX } from "preact";

import type { Performance as Answer, RouteFigures } from "../../../src/responses/shapes.ts";
import { Choice, Failure, Loading } from "../parts/basic.tsx";
import { query } from "../state/api.ts";
import { go, hrefOf, type Place } from "../state/place.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { count, duration, rate } from "../text/format.ts";
import { LatencyCharts } from "./latency.tsx";

const windows: readonly (readonly [string, string])[] = [
  ["5m", "Last 5 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
];

/** Latencies of the routes in a window of time. */
export function Performance({ place }: { readonly place: Place }): JSX.Element {
  const { route = "" } = place.query;
  const window = windows.find(([value]) => value === place.query["window"])?.[0] ?? "5m";
  const { value, failure } = useSidecarData<Answer>(`performance${query({ window })}`, 3_000);
  const rows = value?.routes ?? [];
  const names = [
    ...new Set([...rows.flatMap((row) => row.route ?? []), ...(route === "" ? [] : [route])]),
  ].toSorted();
  const change = (name: string, text: string): void =>
    go({ ...place, query: { ...place.query, [name]: text } }, "replace");
  return (
    <>
      <div class="toolbar">
        <Choice label="Window" value={window} options={windows} onChange={(text) => change("window", text)} />
        <Choice
          label="Route"
          value={route}
          options={[["", "Every route"], ...names.map((name) => [name, name] as const)]}
          onChange={(text) => change("route", text)}
        />
      </div>
      <LatencyCharts key={`${window} ${route}`} window={window} {...(route !== "" && { route })} />
      {value === undefined && failure === undefined && <Loading what="figures" />}
      {value === undefined && failure !== undefined && <Failure failure={failure} />}
      {value !== undefined && rows.length > 0 && <Table all={value} rows={rows} place={place} />}
    </>
  );
}

function Table(props: {
  readonly all: Answer;
  readonly rows: readonly RouteFigures[];
  readonly place: Place;
}): JSX.Element {
  const { all, rows, place } = props;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Latencies by route">
      <table class="table figures">
        <caption class="offscreen">Latencies by route, in the chosen window</caption>
        <thead>
          <tr>
            <th scope="col">Route</th>
            {["Requests", "Rate", "Failed", "p50", "p95", "p99", "Max"].map((name) => (
              <th key={name} scope="col" class="numeric">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.route ?? ""} row={row}>
              {row.route === null ? (
                <span class="muted">no route</span>
              ) : (
                <a
                  class="mono"
                  href={hrefOf({ ...place, query: { ...place.query, route: row.route } })}
                  data-row
                >
                  {row.route}
                </a>
              )}
            </Row>
          ))}
        </tbody>
        <tfoot>
          <Row row={all}>All</Row>
        </tfoot>
      </table>
    </div>
  );
}

function Row({
  row,
  children,
}: {
  readonly row: RouteFigures;
  readonly children: JSX.Element | string;
}): JSX.Element {
  const { failed, p50, p95, p99, max, throughput } = row;
  return (
    <tr>
      <th scope="row">{children}</th>
      <td>{count(row.count)}</td>
      <td>{rate(throughput)}</td>
      <td class={failed > 0 ? "bad-text" : "muted"}>{count(failed)}</td>
      {[p50, p95, p99, max].map((value, index) => (
        <td key={index}>{duration(value)}</td>
      ))}
    </tr>
  );
}
