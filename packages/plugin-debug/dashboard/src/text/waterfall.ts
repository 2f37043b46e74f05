import type { RequestRecord, SpanRecord } from "@kit/types";

/** Bar of the waterfall chart: one timed part of a request. */
export interface Bar {
  readonly name: string;
  /** Kind of work, which determines the colour. */
  readonly kind: "root" | "wait" | "middleware" | "validation" | "handler" | "write" | "span";
  /** Milliseconds from the start of the request to the start of the bar. */
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly isFailed: boolean;
  readonly depth: number;
  readonly attributes: SpanRecord["attributes"];
}

type Traced = Pick<RequestRecord, "lifecycle" | "spans" | "durationMs" | "fault" | "method" | "route">;

/** Returns the bars of a request: its phases with the attributes of their spans. The other spans follow the phase that contains them. */
export function barsOf({ lifecycle, spans, durationMs, fault, method, route }: Traced): Bar[] {
  const [root, ...others] = spans;
  const open = new Map(others.map((span) => [span.spanId, span]));
  const bars: Bar[] = [
    {
      name: route ?? method,
      kind: "root",
      offsetMs: 0,
      durationMs,
      isFailed: fault !== null,
      depth: 0,
      attributes: own(root),
    },
  ];
  const below = (parent: string | undefined, depth: number): void => {
    for (const span of [...open.values()].filter(({ parentSpanId }) => parentSpanId === parent)) {
      open.delete(span.spanId);
      bars.push({
        name: span.name,
        kind: "span",
        offsetMs: span.offsetMs,
        durationMs: span.durationMs ?? Math.max(0, durationMs - span.offsetMs),
        isFailed: span.status === "error",
        depth,
        attributes: own(span),
      });
      below(span.spanId, depth + 1);
    }
  };
  // Each phase begins at the end of the previous one. Sums of durations are more precise than the start times of the spans.
  let offsetMs = 0;
  for (const phase of lifecycle) {
    const span = [...open.values()].find(({ name }) => name === phase.phase);
    if (span !== undefined) open.delete(span.spanId);
    const isPoint = phase.phase === "received" || phase.phase === "response";
    if (!isPoint || phase.durationMs > 0) {
      bars.push({
        name: phase.phase,
        kind: kindOf(phase.phase),
        offsetMs,
        durationMs: phase.durationMs,
        isFailed: phase.result === "fail" || fault?.phase === phase.phase,
        depth: 1,
        attributes: own(span),
      });
    }
    if (span !== undefined) below(span.spanId, 2);
    offsetMs += phase.durationMs;
  }
  below(root?.spanId, 1);
  return bars;
}

/** Returns the span's attributes that the page does not show elsewhere. Leaves out the method, path, status and error message. */
function own(span: SpanRecord | undefined): SpanRecord["attributes"] {
  const isToldElsewhere = (name: string): boolean =>
    name === "error.message" || (span?.kind === "server" && name.startsWith("http."));
  return Object.fromEntries(
    Object.entries(span?.attributes ?? {}).filter(([name]) => !isToldElsewhere(name)),
  );
}

function kindOf(phase: string): Bar["kind"] {
  if (phase.startsWith("middleware:")) return "middleware";
  if (phase.startsWith("validation:")) return "validation";
  if (phase === "handler") return "handler";
  return phase === "serialization" || phase === "server:write" ? "write" : "wait";
}
