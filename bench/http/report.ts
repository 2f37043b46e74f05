import { columns, median, type Row } from "../figures.ts";

/** Measurements of one turn of a subject. */
export interface Sample {
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number;
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
  /** Number of CPU cores that the server has kept busy: 1.0 is one core all the time. */
  readonly busy: number;
}

/** Returns the results of one subject in one scenario: the medians over its turns. */
export function rowsOf(scenario: string, subject: string, samples: readonly Sample[]): Row[] {
  if (samples.length === 0) return [];
  const row = (metric: string, unit: string, key: keyof Sample, digits: number): Row => ({
    scenario,
    subject,
    metric,
    value: Number(median(samples.map((sample) => sample[key])).toFixed(digits)),
    unit,
  });
  return [
    row("cpu_us_per_req", "us", "cpu", 3),
    row("rps", "1/s", "rps", 0),
    row("p50_ms", "ms", "p50", 3),
    row("p99_ms", "ms", "p99", 3),
    row("busy", "processors", "busy", 2),
  ];
}

/** Returns one result, or `NaN` if it was not measured. */
export function figure(rows: readonly Row[], scenario: string, subject: string, metric: string): number {
  return (
    rows.find((row) => row.scenario === scenario && row.subject === subject && row.metric === metric)
      ?.value ?? Number.NaN
  );
}

/** Share of a CPU core. A server that uses less was not fully loaded, so its throughput is not its maximum. */
const full = 0.9;

/** Formats the results as a table. The CPU time of each subject is also shown as a multiple of the first subject's. */
export function table(rows: readonly Row[]): string {
  const lines = [["scenario", "subject", "CPU µs/req", "x", "requests/s", "p50 ms", "p99 ms", "busy"]];
  const subjects = [...new Set(rows.map((row) => row.subject))];
  const scenarios = [...new Set(rows.map((row) => row.scenario))].filter((name) => name !== "all");
  for (const scenario of scenarios) {
    const measured = subjects.filter((subject) =>
      Number.isFinite(figure(rows, scenario, subject, "cpu_us_per_req")),
    );
    const reference = figure(rows, scenario, measured[0] ?? "", "cpu_us_per_req");
    for (const subject of measured) {
      const read = (metric: string): number => figure(rows, scenario, subject, metric);
      lines.push([
        scenario,
        subject,
        read("cpu_us_per_req").toFixed(2),
        (read("cpu_us_per_req") / reference).toFixed(2),
        read("rps").toFixed(0),
        read("p50_ms").toFixed(2),
        read("p99_ms").toFixed(2),
        read("busy").toFixed(2) + (read("busy") < full ? "*" : " "),
      ]);
    }
  }
  const text = columns(lines, 2);
  // The scenarios with one feature have processes of their own, whose memory is in the JSON only.
  const memory = subjects
    .map((subject) => [subject, figure(rows, "all", subject, "rss_mib")] as const)
    .filter(([, value]) => Number.isFinite(value))
    .map(([subject, value]) => `${subject} ${value.toFixed(0)} MiB`);
  const note = rows.some((row) => row.metric === "busy" && row.value < full)
    ? "\n* not fully loaded, because it waited for requests or the database: it can handle more requests/s"
    : "";
  return `${text}${note}${memory.length === 0 ? "" : `\n\nmemory after the run: ${memory.join(", ")}`}`;
}
