import type { JSX } from "preact";

import type { SourceLines } from "../../../src/responses/shapes.ts";
import { query } from "../state/api.ts";
import { session } from "../state/session.ts";
import { useStore } from "../state/store.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { blockAt } from "../text/block.ts";
import { CopyButton } from "./basic.tsx";

interface SourceProps {
  readonly file: string;
  readonly line: number;
  /** `declaration` shows the complete declaration that begins at the line. `around` shows some lines before and after it. */
  readonly extent: "declaration" | "around";
  readonly label: string;
}

/** Excerpt of the project's source code. It is available only in development. */
export function Source({ file, line, extent, label }: SourceProps): JSX.Element {
  const current = useStore(session);
  const isDevelopment = current.state === "ready" && current.info.mode === "development";
  const around = extent === "around" ? 5 : 90;
  const { value, failure } = useSidecarData<SourceLines>(
    isDevelopment ? `source${query({ file, line, around })}` : null,
  );
  const place = `${file}:${line}`;
  return (
    <figure class="source">
      <figcaption>
        <span class="mono">{place}</span>
        <CopyButton text={() => place} label={`Copy the place ${place}`} isSmall />
      </figcaption>
      {!isDevelopment && <p class="muted">Source text is shown in development only.</p>}
      {failure !== undefined && value === undefined && <p class="muted">{failure.message}.</p>}
      {value !== undefined && <Lines source={value} line={line} extent={extent} label={label} />}
    </figure>
  );
}

function Lines(
  props: { readonly source: SourceLines } & Pick<SourceProps, "line" | "extent" | "label">,
): JSX.Element {
  const { source, line, extent, label } = props;
  const { from, lines } = source;
  const { start, end } =
    extent === "around"
      ? { start: 0, end: lines.length }
      : blockAt(lines, Math.min(line, source.count) - from);
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {lines.slice(start, end).map((text, index) => {
        const number = from + start + index;
        const isMarked = extent === "around" && number === line;
        return (
          <span key={number} class={isMarked ? "line marked" : "line"}>
            <span class="number" aria-hidden="true">
              {number}
            </span>
            {isMarked ? <mark>{text}</mark> : text}
            {"\n"}
          </span>
        );
      })}
    </pre>
  );
}
