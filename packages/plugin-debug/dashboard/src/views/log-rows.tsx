import type { LogEntry } from "@kit/types";
import type { JSX } from "preact";

import { Tag } from "../parts/basic.tsx";
import { hrefOf } from "../state/place.ts";
import { clock } from "../text/format.ts";

/** List of log entries. In the list of one request, entries have no link to the request. */
export function LogRows(props: {
  readonly logs: readonly LogEntry[];
  readonly isOfRequest?: boolean;
}): JSX.Element {
  return (
    <ol class="logs" aria-label="Log entries">
      {props.logs.map((entry, index) => (
        // The key contains the index, because log entries have no id and may be equal.
        <LogRow
          key={`${entry.timestamp} ${entry.message} ${index}`}
          entry={entry}
          isOfRequest={props.isOfRequest === true}
        />
      ))}
    </ol>
  );
}

function LogRow({
  entry,
  isOfRequest,
}: {
  readonly entry: LogEntry;
  readonly isOfRequest: boolean;
}): JSX.Element {
  const { level, message, timestamp, data, route, phase, requestId } = entry;
  const text = data === undefined ? "" : JSON.stringify(data);
  return (
    <li class={`log ${level}`}>
      <time class="mono muted" dateTime={timestamp}>
        {clock(timestamp)}
      </time>
      <Tag word={level} />
      <div class="log-body">
        <span class="log-message">{message}</span>
        {text !== "" && text.length <= 90 && <code class="log-data">{text}</code>}
        {text.length > 90 && (
          <details>
            <summary>
              <code class="log-data cut">{text.slice(0, 90)}…</code>
            </summary>
            <pre class="log-full">{JSON.stringify(data, null, 2)}</pre>
          </details>
        )}
        <span class="log-place muted">
          {!isOfRequest && requestId !== undefined && (
            <a href={hrefOf({ view: "requests", id: requestId })} data-row>
              {route ?? "request"}
            </a>
          )}
          {phase !== undefined && <span class="mono">{phase}</span>}
        </span>
      </div>
    </li>
  );
}
