import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Facts, Failure, Loading, Section } from "../parts/basic.tsx";
import { Chart } from "../parts/chart.tsx";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { bytes, count, duration, uptime } from "../text/format.ts";

/** Response of `/_debug/health`. */
interface Health {
  readonly adapter: string;
  readonly platform: string;
  readonly status: string;
  readonly url: string;
  readonly uptime: number;
  /** Bytes of memory. A Rust server has no heap of JavaScript. */
  readonly memory: {
    readonly heapUsed?: number;
    readonly heapTotal?: number;
    readonly rss: number;
    readonly external?: number;
  };
  readonly connections: number | null;
  /** Connections to the database. Absent for applications on Node; null if the server has no database. */
  readonly pool?: { readonly idle: number; readonly used: number; readonly max: number } | null;
  /** Absent for a Rust server, which has no event loop. */
  readonly eventLoopLag?: {
    readonly meanMs: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  } | null;
  readonly requests: { readonly active: number; readonly answered: number };
  readonly missed: { readonly requests: number; readonly errors: number };
  readonly process: {
    readonly pid: number;
    readonly worker: number | null;
    readonly node?: string;
    readonly cores: number;
  };
}

interface Point {
  readonly time: number;
  readonly health: Health;
}

/** Maximum number of points in the charts: ten minutes of measurements at an interval of two seconds. */
const mostPoints = 300;
/** Measurements of the process. They stay while the page is open, so that a change of the view loses none. */
let points: readonly Point[] = [];

/** View of the process: memory, event loop and uptime. */
export function HealthView(): JSX.Element {
  const { value, failure } = useSidecarData<Health>("health", 2_000);
  const [seen, setSeen] = useState(points);
  useEffect(() => {
    if (value === undefined) return;
    // Leaves out measurements of an earlier process.
    const own = points.filter(({ health }) => health.process.pid === value.process.pid);
    points = [...own, { time: Date.now(), health: value }].slice(-mostPoints);
    setSeen(points);
  }, [value]);
  if (value === undefined)
    return failure === undefined ? <Loading what="health" /> : <Failure failure={failure} />;
  const { memory, eventLoopLag, connections, pool, requests, missed, process } = value;
  const { heapUsed, heapTotal, external } = memory;
  const hasHeap = heapUsed !== undefined && heapTotal !== undefined;
  const lag = eventLoopLag?.p99Ms ?? null;
  return (
    <>
      <ul class="cards" aria-label="Figures">
        <Card
          name="Status"
          value={value.status}
          tone={value.status === "ok" ? "good" : "warn"}
          note={`up ${uptime(value.uptime)}`}
        />
        <Card
          name="Memory"
          value={bytes(memory.rss)}
          note={hasHeap ? `heap ${bytes(heapUsed)} of ${bytes(heapTotal)}` : "resident"}
        />
        {eventLoopLag !== undefined && (
          <Card
            name="Event-loop lag"
            value={lag === null ? "–" : duration(lag)}
            tone={lag !== null && lag > 100 ? "bad" : lag !== null && lag > 30 ? "warn" : undefined}
            note={
              eventLoopLag === null
                ? "not measured yet"
                : `p99 of a minute; worst ${duration(eventLoopLag.maxMs)}`
            }
          />
        )}
        {pool !== undefined && pool !== null && (
          <Card
            name="Database connections"
            value={`${count(pool.used)} of ${count(pool.max)}`}
            tone={pool.used >= pool.max ? "warn" : undefined}
            note={`in use; ${count(pool.idle)} idle`}
          />
        )}
        <Card
          name="Connections"
          value={connections === null ? "–" : count(connections)}
          note={
            connections === null
              ? "this server does not tell"
              : `${count(requests.active)} requests under way`
          }
        />
        <Card name="Answered" value={count(requests.answered)} note="requests since the start" />
      </ul>
      <Section title="Since this page was opened">
        <div class="charts">
          <Line
            title="Memory"
            format={bytes}
            steps="binary"
            seen={seen}
            lines={[
              ["resident", "first", ({ memory: { rss } }) => rss],
              ...(hasHeap
                ? [["heap used", "second", ({ memory: { heapUsed: used } }: Health) => used ?? null] as const]
                : []),
            ]}
          />
          {eventLoopLag !== undefined && (
            <Line
              title="Event-loop lag"
              format={duration}
              seen={seen}
              lines={[
                ["p99", "third", ({ eventLoopLag: late }) => late?.p99Ms ?? null],
                ["p50", "first", ({ eventLoopLag: late }) => late?.p50Ms ?? null],
              ]}
            />
          )}
          {pool !== undefined && pool !== null && (
            <Line
              title="Database connections"
              format={count}
              steps="whole"
              seen={seen}
              lines={[
                ["in use", "first", ({ pool: now }) => now?.used ?? null],
                ["idle", "second", ({ pool: now }) => now?.idle ?? null],
              ]}
            />
          )}
          <Line
            title="Connections"
            format={count}
            steps="whole"
            seen={seen}
            lines={[
              ["open", "first", ({ connections: open }) => open],
              ["requests under way", "second", ({ requests: { active } }) => active],
            ]}
          />
        </div>
      </Section>
      <Section title="Process">
        <Facts
          facts={[
            ["Listens at", <span class="mono">{value.url}</span>],
            [
              "Adapter",
              <span class="mono">
                {value.adapter} on {value.platform}
              </span>,
            ],
            ...(process.node === undefined
              ? []
              : [["Node", <span class="mono">{process.node}</span>] as const]),
            [
              "Process",
              <span class="mono">
                {process.pid}
                {process.worker === null ? "" : `, worker ${process.worker}`}
              </span>,
            ],
            ["Cores", <span class="mono">{process.cores}</span>],
            ...(external === undefined
              ? []
              : [["External memory", <span class="mono">{bytes(external)}</span>] as const]),
            [
              "Not kept",
              <span class="mono">
                {count(missed.requests)} requests, {count(missed.errors)} errors
              </span>,
            ],
          ]}
        />
      </Section>
      <Absent />
    </>
  );
}

/** Views that this server does not have, with the reasons. Shows nothing if the server has all views. */
function Absent(): JSX.Element | null {
  const current = useStore(session);
  const reasons = current.state === "ready" ? Object.values(current.info.absent) : [];
  if (reasons.length === 0) return null;
  return (
    <Section title="Not available for this server">
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </Section>
  );
}

function Card(props: {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly tone?: "good" | "warn" | "bad" | undefined;
}): JSX.Element {
  return (
    <li class="card">
      <span class="card-name">{props.name}</span>
      <span class={`card-value ${props.tone ?? ""}`}>{props.value}</span>
      <span class="card-note">{props.note}</span>
    </li>
  );
}

function Line(props: {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly steps?: "binary" | "whole";
  readonly seen: readonly Point[];
  readonly lines: readonly (readonly [
    label: string,
    tone: "first" | "second" | "third",
    of: (health: Health) => number | null,
  ])[];
}): JSX.Element {
  const { title, format, steps, seen, lines } = props;
  return (
    <Chart
      title={title}
      format={format}
      {...(steps !== undefined && { steps })}
      times={seen.map(({ time }) => time)}
      lines={lines.map(([label, tone, of]) => ({
        label,
        tone,
        values: seen.map(({ health }) => of(health)),
      }))}
    />
  );
}
