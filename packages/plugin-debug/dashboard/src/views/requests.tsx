import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { Choice, Empty, Loading, Search, Status } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { go, hrefOf, type Place } from "../state/place.ts";
import { isPaused, type ListedRequest, live, session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { clock, count, duration } from "../text/format.ts";
import { type Filter, isNarrow, matches, readFilter } from "../text/filter.ts";
import { RequestDetail } from "./request.tsx";

const statuses: readonly (readonly [string, string])[] = [
  ["", "Every status"],
  ["2xx", "2xx success"],
  ["3xx", "3xx redirect"],
  ["4xx", "4xx client error"],
  ["5xx", "5xx server error"],
  ["failed", "All failed"],
  ["active", "Under way"],
];
/** Number of rows per page. It is also the number of rows that are drawn first, because drawing takes time. */
const page = 150;
const firstRows = 40;

/** List of requests, with the selected one in detail. */
export function Requests({ place }: { readonly place: Place }): JSX.Element {
  const { requests, skipped, isLoaded } = useStore(live);
  const filter = readFilter(place.query);
  const shown = requests.filter((request) => matches(request, filter));
  return (
    <div class={place.id === null ? "split" : "split has-detail"}>
      <div class="list-side">
        <Filters place={place} filter={filter} requests={requests} shown={shown.length} />
        {skipped > 0 && (
          <p class="hint">
            {count(skipped)} more requests came faster than they could be listed; they are in the figures.
          </p>
        )}
        {!isLoaded && <Loading what="requests" />}
        {isLoaded && shown.length === 0 && <Nothing isFiltered={requests.length > 0} />}
        {shown.length > 0 && <Rows shown={shown} place={place} />}
      </div>
      {place.id !== null && <RequestDetail key={place.id} requestId={place.id} place={place} />}
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const current = useStore(session);
  if (isFiltered) {
    return (
      <Empty title="No request is like that">
        <button type="button" class="button" onClick={() => go({ view: "requests" })}>
          Clear the filter
        </button>
      </Empty>
    );
  }
  const url = current.state === "ready" ? current.info.application.url : "";
  return (
    <Empty title="No requests yet">
      Send one to the application at <code>{url}</code>, and it appears here at once.
    </Empty>
  );
}

function Filters(props: {
  readonly place: Place;
  readonly filter: Filter;
  readonly requests: readonly ListedRequest[];
  readonly shown: number;
}): JSX.Element {
  const { place, filter, requests, shown } = props;
  const paused = useStore(isPaused);
  const methods = [...new Set([...requests.map(({ method }) => method), filter.method])]
    .filter(Boolean)
    .toSorted();
  const routes = [...new Set([...requests.map(({ route }) => route ?? "none"), filter.route])]
    .filter(Boolean)
    .toSorted();
  const change = (name: keyof Filter, value: string): void =>
    go({ ...place, query: { ...place.query, [name]: value } }, "replace");
  return (
    <search class="toolbar" aria-label="Filter requests">
      <Search value={filter.q} label="Path, text, trace id" onInput={(value) => change("q", value)} />
      <Choice
        label="Method"
        value={filter.method}
        options={[["", "Every method"], ...methods.map((method) => [method, method] as const)]}
        onChange={(value) => change("method", value)}
      />
      <Choice
        label="Status"
        value={filter.status}
        options={statuses}
        onChange={(value) => change("status", value)}
      />
      <Choice
        label="Route"
        value={filter.route}
        options={[
          ["", "Every route"],
          ...routes.map((route) => [route, route === "none" ? "No route" : route] as const),
        ]}
        onChange={(value) => change("route", value)}
      />
      <button
        type="button"
        class="button"
        aria-pressed={paused}
        data-shortcut="p"
        onClick={() => isPaused.set(!isPaused.get())}
      >
        <Icon name={paused ? "play" : "pause"} />
        <span>{paused ? "Paused" : "Live"}</span>
      </button>
      <span class="counted">
        {isNarrow(filter)
          ? `${count(shown)} of ${count(requests.length)}`
          : `${count(requests.length)} requests`}
      </span>
    </search>
  );
}

function Rows({
  shown,
  place,
}: {
  readonly shown: readonly ListedRequest[];
  readonly place: Place;
}): JSX.Element {
  const [pages, setPages] = useState(1);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    // Draws the other rows after the first ones are on the screen.
    const timer = setTimeout(() => setDrawn(true), 400);
    return () => clearTimeout(timer);
  }, []);
  const rows = shown.slice(0, isDrawn ? pages * page : firstRows);
  // Scales the bars to the slowest request, so that they can be compared. Ignores the slowest two percent, which may last minutes.
  const scale = useMemo(() => scaleOf(rows.map(({ durationMs }) => durationMs)), [rows]);
  return (
    <>
      <div class="row head" aria-hidden="true">
        <span>Status</span>
        <span>Method</span>
        <span>Path</span>
        <span class="numeric">Took</span>
        <span class="numeric">At</span>
      </div>
      <ol class="rows" aria-label="Requests, the newest first">
        {rows.map((request) => (
          <Row key={request.requestId} request={request} place={place} scale={scale} />
        ))}
      </ol>
      {isDrawn && rows.length < shown.length && (
        <button type="button" class="button more" onClick={() => setPages(pages + 1)}>
          Show more ({count(shown.length - rows.length)})
        </button>
      )}
    </>
  );
}

function scaleOf(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b);
  return Math.max(1, sorted[Math.floor((sorted.length - 1) * 0.98)] ?? 1);
}

function Row(props: {
  readonly request: ListedRequest;
  readonly place: Place;
  readonly scale: number;
}): JSX.Element {
  const { request, place, scale } = props;
  const { requestId, method, target, status, isActive, isPast, durationMs, startTime, code, phase } = request;
  const isChosen = place.id === requestId;
  const width = `${Math.max(1, Math.min(100, (durationMs / scale) * 100))}%`;
  return (
    <li>
      <a
        class={isPast ? "row past" : "row"}
        href={hrefOf({ ...place, id: requestId })}
        aria-current={isChosen ? "true" : undefined}
        data-row
      >
        <Status status={status} isActive={isActive} />
        <span class="method">{method}</span>
        <span class="target">
          <span class="path">{target}</span>
          {code !== null && <span class="remark">{code}</span>}
          {isActive && <span class="remark">in {phase}</span>}
        </span>
        <span class="took numeric">
          <span class="bar" aria-hidden="true">
            <span class={status >= 500 ? "fill bad" : "fill"} style={{ width }} />
          </span>
          {duration(durationMs)}
        </span>
        <time class="at numeric" dateTime={new Date(startTime).toISOString()}>
          {clock(startTime)}
        </time>
      </a>
    </li>
  );
}
