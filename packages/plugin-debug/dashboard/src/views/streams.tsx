import type { StreamMessage, StreamRecord } from "@kit/types";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { StreamList, StreamSummary } from "../../../src/responses/shapes.ts";
import { Choice, Empty, Facts, Failure, Loading, Search, Section } from "../parts/basic.tsx";
import { Icon } from "../parts/icon.tsx";
import { go, hrefOf, type Place } from "../state/place.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { bytes, clock, count, uptime } from "../text/format.ts";
import { countText, endText, endTone, kindNames } from "../text/streams.ts";

const everyMs = 1_000;

/** List of WebSockets and streams, with the selected one and its messages in detail. */
export function Streams({ place }: { readonly place: Place }): JSX.Element {
  const { value, failure } = useSidecarData<StreamList>("streams?limit=200", everyMs);
  const { q = "", state = "" } = place.query;
  const streams = value?.streams ?? [];
  const shown = streams.filter(
    ({ route, target, end }) =>
      `${route} ${target}`.toLowerCase().includes(q.toLowerCase()) &&
      (state === "" || (state === "open") === (end === null)),
  );
  const change = (name: string, text: string): void =>
    go({ ...place, query: { ...place.query, [name]: text } }, "replace");
  return (
    <div class={place.id === null ? "split" : "split has-detail"}>
      <div class="list-side">
        <search class="toolbar" aria-label="Filter streams">
          <Search value={q} label="Path or route" onInput={(text) => change("q", text)} />
          <Choice
            label="State"
            value={state}
            options={[
              ["", "Open and ended"],
              ["open", "Open"],
              ["ended", "Ended"],
            ]}
            onChange={(text) => change("state", text)}
          />
          <span class="counted">{count(value?.open ?? 0)} open</span>
        </search>
        {value !== undefined && value.missed > 0 && (
          <p class="hint">
            {count(value.missed)} more streams were opened while 200 others were open. The sidecar does not
            show them.
          </p>
        )}
        {value === undefined && failure === undefined && <Loading what="streams" />}
        {value === undefined && failure !== undefined && <Failure failure={failure} />}
        {value !== undefined && streams.length === 0 && (
          <Empty title="No streams yet">
            WebSockets, and streams of events and lines, appear here when a client opens them.
          </Empty>
        )}
        {streams.length > 0 && shown.length === 0 && <Empty title="No stream matches the filter" />}
        <ol class="rows" aria-label="Streams, open ones first">
          {shown.map((stream) => (
            <Row key={stream.requestId} stream={stream} place={place} />
          ))}
        </ol>
      </div>
      {place.id !== null && <Detail key={place.id} requestId={place.id} place={place} />}
    </div>
  );
}

function Row({ stream, place }: { readonly stream: StreamSummary; readonly place: Place }): JSX.Element {
  const { requestId, kind, target, received, sent, startTime, end } = stream;
  return (
    <li>
      <a
        class="row error-row"
        href={hrefOf({ ...place, id: requestId })}
        aria-current={place.id === requestId ? "true" : undefined}
        data-row
      >
        <span class={`badge ${endTone(end)}`}>{end === null ? "open" : (end.code ?? end.result)}</span>
        <span class="error-what">
          <span>
            <span class="method">{kindNames[kind]}</span> <span class="path">{target}</span>
          </span>
          <span class="muted error-where">
            {countText(received, "received")} · {countText(sent, "sent")}
            {end !== null && ` · ${endText(end)}`}
          </span>
        </span>
        <span class="at numeric">{uptime(((end?.time ?? Date.now()) - startTime) / 1_000)}</span>
      </a>
    </li>
  );
}

function Detail({ requestId, place }: { readonly requestId: string; readonly place: Place }): JSX.Element {
  const path = `streams/${encodeURIComponent(requestId)}`;
  const { value, failure } = useSidecarData<{ stream: StreamRecord }>(path, everyMs);
  return (
    <aside class="detail" aria-label="The stream in full">
      <a
        class="button small bare close"
        href={hrefOf({ ...place, id: null })}
        aria-label="Close the stream"
        data-close
      >
        <Icon name="close" />
      </a>
      {value !== undefined && <Stream stream={value.stream} />}
      {value === undefined && failure === undefined && <Loading what="the stream" />}
      {value === undefined && failure !== undefined && <Failure failure={failure} />}
    </aside>
  );
}

function Stream({ stream }: { readonly stream: StreamRecord }): JSX.Element {
  const { requestId, kind, protocol, route, target, startTime, received, sent, messages, end } = stream;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const all = received.messages + sent.messages;
  return (
    <>
      <h2 ref={heading} tabIndex={-1} class="detail-title">
        <span class="method">{kindNames[kind]}</span> <span class="path">{target}</span>
      </h2>
      <div class="actions">
        <span class={`badge ${endTone(end)}`}>{end === null ? "open" : end.result}</span>
        <a class="button" href={hrefOf({ view: "requests", id: requestId })}>
          <Icon name="requests" />
          <span>Show the request</span>
        </a>
      </div>
      <Facts
        facts={[
          ["Route", <span class="mono">{route}</span>],
          ...(protocol === null
            ? []
            : [["Subprotocol", <span class="mono">{protocol}</span>] as [string, JSX.Element]]),
          ["Opened", clock(startTime)],
          ["Received", `${countText(received)}, ${bytes(received.bytes)}`],
          ["Sent", `${countText(sent)}, ${bytes(sent.bytes)}`],
          ["End", end === null ? "still open" : `${clock(end.time)}: ${endText(end)}`],
        ]}
      />
      <Section
        title="Messages"
        note={all > messages.length ? `the last ${messages.length} of ${count(all)}` : undefined}
      >
        {messages.length === 0 ? (
          <p class="muted">{all === 0 ? "No messages yet." : "Messages are only counted in production."}</p>
        ) : (
          <ol class="logs" aria-label="Messages, oldest first">
            {messages.map((message) => (
              <Message key={`${message.time} ${message.direction}`} message={message} />
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}

function Message({ message }: { readonly message: StreamMessage }): JSX.Element {
  const { time, direction, event, text, bytes: size } = message;
  return (
    <li class="log">
      <time class="mono muted" dateTime={new Date(time).toISOString()}>
        {clock(time)}
      </time>
      <span class={`badge ${direction === "in" ? "s3" : "quiet"}`}>{direction}</span>
      <div class="log-body">
        {event !== null && <span class="code-name">{event}</span>}
        {text === null ? (
          <span class="muted">a long or binary message, {bytes(size)}</span>
        ) : (
          <code class="log-full">{text}</code>
        )}
      </div>
    </li>
  );
}
