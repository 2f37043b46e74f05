/** One figure. */
export interface Row {
  readonly scenario: string;
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

/** A table of the figures with the ratio of CPU time, ours to theirs. */
export function table(rows: readonly Row[], ours: string, theirs: string): string {
  const read = (scenario: string, subject: string, metric: string): number =>
    rows.find((row) => row.scenario === scenario && row.subject === subject && row.metric === metric)
      ?.value ?? Number.NaN;
  const lines = [["scenario", "subject", "CPU µs/req", "requests/s", "p99 ms", "CPU ratio"]];
  for (const scenario of new Set(rows.map((row) => row.scenario))) {
    if (scenario === "all") continue;
    for (const subject of [ours, theirs]) {
      const cpu = read(scenario, subject, "cpu_us_per_req");
      const ratio = subject === ours ? (cpu / read(scenario, theirs, "cpu_us_per_req")).toFixed(2) : "";
      lines.push([
        scenario,
        subject,
        cpu.toFixed(2),
        read(scenario, subject, "rps").toFixed(0),
        read(scenario, subject, "p99_ms").toFixed(2),
        ratio,
      ]);
    }
  }
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines
    .map((line) =>
      line
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  "),
    )
    .join("\n");
  const memory = [ours, theirs].map(
    (subject) => `${subject} ${read("all", subject, "rss_mib").toFixed(0)} MiB`,
  );
  return `${text}\n\nmemory after the run: ${memory.join(", ")}`;
}
