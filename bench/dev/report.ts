import { median, percentile, type Row } from "../figures.ts";
import type { Counts } from "./load.ts";

/** Times of one edit in milliseconds. */
export interface Edit {
  readonly kind: string;
  /** Time from writing the file until the first response of the new code. */
  readonly total: number;
  /** Part of the total time that the build takes. */
  readonly build: number;
  /** Part of the total time from the detected change until the new process listens. */
  readonly ready: number;
}

/** Returns the results as rows: of all edits, of each kind of edit, and of the load. */
export function rowsOf(edits: readonly Edit[], mistakes: readonly number[], counts: Counts): Row[] {
  const kinds = [...new Set(edits.map(({ kind }) => kind))];
  const groups: readonly (readonly [string, readonly Edit[]])[] = [
    ["edit", edits],
    ...kinds.map((kind) => [`edit-${kind}`, edits.filter((edit) => edit.kind === kind)] as const),
  ];
  return [
    ...groups.flatMap(([scenario, some]) => {
      const totals = some.map(({ total }) => total);
      return [
        row(scenario, "p50_ms", median(totals)),
        row(scenario, "p90_ms", percentile(totals, 0.9)),
        row(scenario, "max_ms", Math.max(...totals)),
        row(scenario, "build_ms", median(some.map(({ build }) => build))),
        row(scenario, "start_ms", median(some.map(({ build, ready }) => ready - build))),
        row(scenario, "rest_ms", median(some.map(({ total, ready }) => total - ready))),
      ];
    }),
    row("mistake", "p50_ms", median(mistakes)),
    ...Object.entries(counts).map(([metric, value]) => row("load", metric, value as number, "requests")),
  ];
}

/** Formats the results as a table. */
export function table(rows: readonly Row[]): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))].filter((name) =>
    name.startsWith("edit"),
  );
  const metrics = ["p50_ms", "p90_ms", "max_ms", "build_ms", "start_ms", "rest_ms"];
  const heads = ["median", "p90", "max", "build", "start", "rest"];
  const value = (scenario: string, metric: string): number =>
    rows.find((one) => one.scenario === scenario && one.metric === metric)?.value ?? Number.NaN;
  const load = rows.filter(({ scenario }) => scenario === "load");
  return [
    line("ms", heads),
    ...scenarios.map((scenario) =>
      line(
        scenario,
        metrics.map((metric) => value(scenario, metric).toFixed(0)),
      ),
    ),
    "",
    `A mistake is reported after ${value("mistake", "p50_ms").toFixed(0)} ms.`,
    `Requests during the edits: ${load.map(({ metric, value: count }) => `${count} ${metric}`).join(", ")}.`,
  ].join("\n");
}

function line(name: string, cells: readonly string[]): string {
  return `${name.padEnd(14)}${cells.map((cell) => cell.padStart(9)).join("")}`;
}

/** Returns a result as a row. */
export function row(scenario: string, metric: string, value: number, unit = "ms"): Row {
  return { scenario, subject: "kit-dev", metric, value: Number(value.toFixed(1)), unit };
}
