import type { LogEntry } from "@kit/types";
import type { JSX } from "preact";

import { Choice, Empty, Failure, Loading, Search } from "../parts/basic.tsx";
import { query } from "../state/api.ts";
import { go, type Place } from "../state/place.ts";
import { useSidecarData } from "../state/use-sidecar-data.ts";
import { count } from "../text/format.ts";
import { LogRows } from "./log-rows.tsx";

const levels = ["trace", "debug", "info", "warn", "error", "fatal"];

/** Log entries of the application, the newest first. */
export function Logs({ place }: { readonly place: Place }): JSX.Element {
  const { q = "", level = "" } = place.query;
  const { value, failure } = useSidecarData<{ logs: readonly LogEntry[] }>(
    `logs${query({ limit: 500, level })}`,
    1_500,
  );
  const logs = value?.logs ?? [];
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = logs.filter((entry) => {
    const text = JSON.stringify([
      entry.message,
      entry.route,
      entry.phase,
      entry.traceId,
      entry.data,
    ]).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const change = (name: string, text: string): void =>
    go({ ...place, query: { ...place.query, [name]: text } }, "replace");
  return (
    <>
      <search class="toolbar" aria-label="Filter log entries">
        <Search value={q} label="Text, route, trace id" onInput={(text) => change("q", text)} />
        <Choice
          label="Least level"
          value={level}
          options={[["", "Every level"], ...levels.map((name) => [name, `${name} and above`] as const)]}
          onChange={(text) => change("level", text)}
        />
        <span class="counted">{count(shown.length)} entries</span>
      </search>
      {value === undefined && failure === undefined && <Loading what="log entries" />}
      {value === undefined && failure !== undefined && <Failure failure={failure} />}
      {value !== undefined && shown.length === 0 && (
        <Empty title={logs.length === 0 ? "Nothing was logged" : "No entry is like that"}>
          {logs.length === 0 && "The level of the log is a threshold: what is below it is not kept either."}
        </Empty>
      )}
      {shown.length > 0 && <LogRows logs={shown.slice(0, 300)} />}
    </>
  );
}
