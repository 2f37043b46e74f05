import { columns, median, type Row } from "../figures.ts";
import { figure, rowsOf as rowsOfSubject, type Sample } from "../http/report.ts";

/** Measurements of the two servers, one directly after the other. */
export interface Pair {
  readonly kit: Sample;
  readonly peer: Sample;
}

const kit = "kit-rust";
const peer = "axum-sqlx";

/** Share by which a result of kit may exceed that of the peer. */
const tolerance = 0.03;

/**
 * Returns the results of a scenario: the median of each server, and the median of the ratios within each pair. Other work on the machine
 * affects both measurements of a pair about equally.
 */
export function rowsOf(scenario: string, pairs: readonly Pair[]): Row[] {
  const ratio = (metric: string, key: keyof Sample): Row => ({
    scenario,
    subject: "ratio",
    metric,
    value: Number(median(pairs.map((pair) => pair.kit[key] / pair.peer[key])).toFixed(4)),
    unit: "kit/peer",
  });
  return [
    ...rowsOfSubject(
      scenario,
      kit,
      pairs.map((pair) => pair.kit),
    ),
    ...rowsOfSubject(
      scenario,
      peer,
      pairs.map((pair) => pair.peer),
    ),
    ratio("cpu_us_per_req", "cpu"),
    ratio("rps", "rps"),
    ratio("p50_ms", "p50"),
    ratio("p99_ms", "p99"),
  ];
}

function measured(rows: readonly Row[]): string[] {
  const ratios = rows.filter(({ subject }) => subject === "ratio");
  return [...new Set(ratios.map(({ scenario }) => scenario))];
}

/** Formats the results as a table with three lines for each scenario: kit's server, the peer, and the ratio. */
export function table(rows: readonly Row[]): string {
  const lines = [["scenario", "subject", "CPU µs/req", "requests/s", "p50 ms", "p99 ms", "busy"]];
  for (const scenario of measured(rows)) {
    for (const subject of [kit, peer, "ratio"]) {
      const digits = subject === "ratio" ? 3 : 2;
      const read = (metric: string, places = digits): string => {
        const value = figure(rows, scenario, subject, metric);
        return Number.isNaN(value) ? "" : value.toFixed(places);
      };
      lines.push([
        subject === kit ? scenario : "",
        subject,
        read("cpu_us_per_req"),
        read("rps", subject === "ratio" ? 3 : 0),
        read("p50_ms"),
        read("p99_ms"),
        read("busy"),
      ]);
    }
  }
  const memory = [kit, peer].map((subject) => {
    const at = (scenario: string): string => figure(rows, scenario, subject, "rss_mib").toFixed(1);
    return `${subject} ${at("start")} MiB, then ${at("all")} MiB`;
  });
  return `${columns(lines, 2)}\n\nmemory at the start and after the run: ${memory.join("; ")}`;
}

/** Goal, and whether it is met. */
export interface Verdict {
  readonly text: string;
  readonly isMet: boolean;
}

function percent(ratio: number): string {
  const more = (ratio - 1) * 100;
  return `${more < 0 ? "" : "+"}${more.toFixed(1)} %`;
}

/** Compares kit's CPU time and throughput in each scenario, and its memory, with those of the peer. */
export function verdicts(rows: readonly Row[]): Verdict[] {
  const found = measured(rows).flatMap((scenario): Verdict[] => {
    const cpu = figure(rows, scenario, "ratio", "cpu_us_per_req");
    const rps = figure(rows, scenario, "ratio", "rps");
    return [
      { text: `${scenario}: CPU time per request, ${percent(cpu)}`, isMet: cpu <= 1 + tolerance },
      { text: `${scenario}: requests/s, ${percent(rps)}`, isMet: rps >= 1 - tolerance },
    ];
  });
  const memory = figure(rows, "all", kit, "rss_mib") / figure(rows, "all", peer, "rss_mib");
  return [...found, { text: `memory, ${percent(memory)}`, isMet: memory <= 1 + tolerance }];
}

/** Returns true if all goals are met. */
export function isMet(rows: readonly Row[]): boolean {
  return verdicts(rows).every((verdict) => verdict.isMet);
}
