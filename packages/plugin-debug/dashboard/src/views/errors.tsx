import type { ErrorRecord } from "@kit/types";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Choice, Empty, Failure, Loading, Search, Status } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { go, hrefOf, type Place } from "../state/place.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { ago, count } from "../text/format.ts";
import { ErrorBody } from "./error-body.tsx";

/** List of errors, with the selected one in detail. */
export function Errors({ place }: { readonly place: Place }): JSX.Element {
  const { value, failure } = useSidecarData<{ errors: readonly ErrorRecord[] }>("errors?limit=500", 2_000);
  const { q = "", status = "" } = place.query;
  const errors = value?.errors ?? [];
  const shown = errors.filter((error) => isLookedFor(error, q, status));
  const chosen = errors.find(({ requestId }) => requestId === place.id);
  const change = (name: string, text: string): void =>
    go({ ...place, query: { ...place.query, [name]: text } }, "replace");
  return (
    <div class={place.id === null ? "split" : "split has-detail"}>
      <div class="list-side">
        <search class="toolbar" aria-label="Filter errors">
          <Search value={q} label="Message, code, route, trace id" onInput={(text) => change("q", text)} />
          <Choice
            label="Status"
            value={status}
            options={[
              ["", "Every status"],
              ["4", "4xx client error"],
              ["5", "5xx server error"],
            ]}
            onChange={(text) => change("status", text)}
          />
          <span class="counted">{count(shown.length)} errors</span>
        </search>
        {value === undefined && failure === undefined && <Loading what="errors" />}
        {value === undefined && failure !== undefined && <Failure failure={failure} />}
        {value !== undefined && errors.length === 0 && (
          <Empty title="Nothing has failed">
            Requests that are answered with an error stand here, with the reason.
          </Empty>
        )}
        {errors.length > 0 && shown.length === 0 && <Empty title="No error is like that" />}
        <ol class="rows" aria-label="Errors, the newest first">
          {shown.slice(0, 200).map((error) => (
            <li key={`${error.requestId} ${error.timestamp}`}>
              <a
                class="row error-row"
                href={hrefOf({ ...place, id: error.requestId })}
                aria-current={place.id === error.requestId ? "true" : undefined}
                data-row
              >
                <Status status={error.status} />
                <span class="error-what">
                  <span class="code-name">{error.code}</span>
                  <span class="error-line">{error.message}</span>
                  <span class="muted mono error-where">
                    {error.route ?? `${error.method} ${error.path}`} · {error.phase}
                  </span>
                </span>
                <time class="at numeric" dateTime={error.timestamp}>
                  {ago(error.timestamp, Date.now())}
                </time>
              </a>
            </li>
          ))}
        </ol>
      </div>
      {place.id !== null && value !== undefined && (
        <ErrorDetail key={place.id} error={chosen} place={place} />
      )}
    </div>
  );
}

function isLookedFor(error: ErrorRecord, q: string, status: string): boolean {
  if (status !== "" && !String(error.status).startsWith(status)) return false;
  const text = [error.message, error.code, error.route, error.method, error.path, error.phase]
    .join(" ")
    .toLowerCase();
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(word) || error.traceId.startsWith(word));
}

function ErrorDetail({
  error,
  place,
}: {
  readonly error: ErrorRecord | undefined;
  readonly place: Place;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <aside class="detail" aria-label="The error in full">
      <a
        class="button small bare close"
        href={hrefOf({ ...place, id: null })}
        aria-label="Close the error"
        data-close
      >
        <Icon name="close" />
      </a>
      {error === undefined ? (
        <Empty title="This error is not kept any more" />
      ) : (
        <>
          <h2 ref={heading} tabIndex={-1} class="detail-title">
            <span class="method">{error.method}</span> <span class="path">{error.path}</span>
          </h2>
          <div class="actions">
            <a class="button" href={hrefOf({ view: "requests", id: error.requestId })}>
              <Icon name="requests" />
              <span>Show the request</span>
            </a>
          </div>
          <ErrorBody error={error} />
        </>
      )}
    </aside>
  );
}
