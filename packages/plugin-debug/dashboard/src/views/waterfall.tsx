import type { RequestRecord } from "@kit/types";
import type { JSX } from "preact";

import { duration } from "../text/format.ts";
import { type Bar, barsOf } from "../text/waterfall.ts";

/** Waterfall of a request's phases and spans. */
export function Waterfall({ request }: { readonly request: RequestRecord }): JSX.Element {
  const bars = barsOf(request);
  const total = Math.max(request.durationMs, 0.001);
  return (
    <ol class="waterfall">
      {bars.map((bar, index) => (
        <Row key={`${index} ${bar.name}`} bar={bar} total={total} />
      ))}
    </ol>
  );
}

function Row({ bar, total }: { readonly bar: Bar; readonly total: number }): JSX.Element {
  const { name, kind, offsetMs, durationMs, isFailed, depth, attributes } = bar;
  const start = Math.min(99.4, (offsetMs / total) * 100);
  const width = Math.max(0.6, Math.min(100 - start, (durationMs / total) * 100));
  const named = Object.entries(attributes);
  return (
    <li>
      <div class="wf-row">
        <span class="wf-name" style={{ paddingLeft: `${depth * 12}px` }}>
          {isFailed && (
            <span class="wf-failed" title="It failed here">
              <span aria-hidden="true">✕</span>
              <span class="offscreen">failed: </span>
            </span>
          )}
          {name}
        </span>
        <span class="wf-track" aria-hidden="true">
          <span
            class={isFailed && kind !== "root" ? `wf-bar ${kind} failed` : `wf-bar ${kind}`}
            style={{ left: `${start}%`, width: `${width}%` }}
          />
        </span>
        <span class="wf-took">
          <span class="offscreen">after {duration(offsetMs)}, took </span>
          {duration(durationMs)}
        </span>
      </div>
      {named.length > 0 && (
        <dl class="wf-attributes" style={{ paddingLeft: `${depth * 12 + 12}px` }}>
          {named.map(([attribute, value]) => (
            <div key={attribute}>
              <dt>{attribute}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
