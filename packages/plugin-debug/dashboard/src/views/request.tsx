import type { ErrorRecord, LogEntry, RequestRecord } from "@kit/types";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ShownRoute } from "../../../src/responses/shapes.ts";
import { CopyButton, Empty, Facts, Failure, Loading, Pre, Section, Status } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { hrefOf, type Place } from "../state/place.ts";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { curlOf } from "../text/curl.ts";
import { bytes, clock, duration, prettyJson } from "../text/format.ts";
import { scopesText } from "../text/scopes.ts";
import { ErrorBody } from "./error-body.tsx";
import { LogRows } from "./log-rows.tsx";
import { Replay } from "./replay.tsx";
import { Waterfall } from "./waterfall.tsx";

/** Response of `/_debug/requests/:requestId`. */
interface RequestAnswer {
  readonly request: RequestRecord;
  readonly error: ErrorRecord | null;
  readonly logs: readonly LogEntry[];
}

/** All data of one request. */
export function RequestDetail({
  requestId,
  place,
}: {
  readonly requestId: string;
  readonly place: Place;
}): JSX.Element {
  const [isOver, setOver] = useState(false);
  // Loads a request in progress again until it finishes.
  const path = `requests/${encodeURIComponent(requestId)}`;
  const { value, failure } = useSidecarData<RequestAnswer>(path, isOver ? undefined : 1_000);
  const heading = useRef<HTMLHeadingElement>(null);
  const isActive = value?.request.isActive;
  useEffect(() => {
    if (isActive === false) setOver(true);
  }, [isActive]);
  // Moves the focus to the content after the user has followed a link.
  useEffect(() => heading.current?.focus({ preventScroll: false }), [value !== undefined]);
  return (
    <aside class="detail" aria-label="The request in full">
      <a
        class="button small bare close"
        href={hrefOf({ ...place, id: null })}
        aria-label="Close the request"
        data-close
      >
        <Icon name="close" />
      </a>
      {value === undefined && failure === undefined && <Loading what="the request" />}
      {value === undefined && failure !== undefined && failure.status === 404 && (
        <Empty title="This request is not kept any more">
          A process keeps its last requests (<code>keep</code>), and forgets them when it ends. With{" "}
          <code>store</code> they outlast it.
        </Empty>
      )}
      {value === undefined && failure !== undefined && failure.status !== 404 && (
        <Failure failure={failure} />
      )}
      {value !== undefined && (
        <>
          <h2 ref={heading} tabIndex={-1} class="detail-title">
            <span class="method">{value.request.method}</span>{" "}
            <span class="path">{value.request.target}</span>
          </h2>
          <Summary {...value} />
        </>
      )}
    </aside>
  );
}

function Summary({ request, error, logs }: RequestAnswer): JSX.Element {
  const current = useStore(session);
  const { status, isActive, durationMs, startTime, traceId, requestId, route, received, phase } = request;
  const base = current.state === "ready" ? current.info.application.url : "";
  const { value: known } = useSidecarData<{ routes: readonly ShownRoute[] }>("routes");
  const scopes = known?.routes.find(({ ref }) => ref === route)?.scopes ?? [];
  return (
    <>
      <div class="actions">
        <CopyButton text={() => curlOf(request, base)} label="Copy as curl" shortcut="c" />
        <Replay request={request} />
      </div>
      <Facts
        facts={[
          ["Status", <Status status={status} isActive={isActive} />],
          ["Took", <span class="mono">{duration(durationMs)}</span>],
          ["At", <span class="mono">{clock(startTime)}</span>],
          [
            "Route",
            route === null ? (
              <span class="muted">no route took it</span>
            ) : (
              <a class="mono" href={hrefOf({ view: "routes", id: route })}>
                {route}
              </a>
            ),
          ],
          ...(scopes.length === 0
            ? []
            : [["Scopes", <span class="mono">{scopesText(scopes)}</span>] as const]),
          [isActive ? "Phase" : "Ended in", <span class="mono">{phase}</span>],
          ["Trace", <Id id={traceId} name="trace id" isLong />],
          ["Request", <Id id={requestId} name="request id" />],
        ]}
      />
      {error !== null && (
        <Section title="Error">
          <ErrorBody error={error} />
        </Section>
      )}
      <Section title="Waterfall" note={duration(durationMs)}>
        <Waterfall request={request} />
      </Section>
      <Section title="Logs" note={String(logs.length)}>
        {logs.length === 0 ? (
          <p class="muted">
            Nothing was logged. <code>ctx.log</code> in a handler writes entries that stand here.
          </p>
        ) : (
          <LogRows logs={logs.toReversed()} isOfRequest />
        )}
      </Section>
      <Section title="Request" note={received === null ? undefined : bytes(received.bodyLength)}>
        <Received received={received} />
      </Section>
    </>
  );
}

function Id(props: { readonly id: string; readonly name: string; readonly isLong?: boolean }): JSX.Element {
  const { id, name, isLong = false } = props;
  return (
    <span class={isLong ? "id long" : "id"}>
      <span class="mono">{id}</span>
      <CopyButton text={() => id} label={`Copy the ${name}`} isSmall />
    </span>
  );
}

function Received({ received }: Pick<RequestRecord, "received">): JSX.Element {
  if (received === null) return <p class="muted">Headers and bodies are not recorded in production.</p>;
  const { headers, body, bodyLength } = received;
  return (
    <>
      <dl class="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body !== null && <Pre text={prettyJson(body)} label="Body of the request" />}
      {body === null && bodyLength > 0 && (
        <p class="muted">
          The body ({bytes(bodyLength)}) is not shown: it is longer than what is kept, or no JSON.
        </p>
      )}
      {bodyLength === 0 && <p class="muted">It has no body.</p>}
    </>
  );
}
