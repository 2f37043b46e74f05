/** Measured figure. */
export interface Row {
  readonly scenario: string;
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

/** Formats a line for each scenario: kit's time, and for every other subject its ratio to kit's time. */
export function table(rows: readonly Row[]): string {
  const subjects = [...new Set(rows.map((row) => row.subject))];
  const others = subjects.filter((subject) => subject !== "kit");
  const lines = [["scenario", "kit ns", ...others, "ahead of all"]];
  for (const scenario of new Set(rows.map((row) => row.scenario))) {
    const read = (subject: string): number | undefined =>
      rows.find((row) => row.scenario === scenario && row.subject === subject)?.value;
    const kit = read("kit") ?? Number.NaN;
    const ratios = others.map((subject) => (read(subject) ?? Number.NaN) / kit);
    // `kit-in-full` is kit itself with longer failures, so it does not count as another subject.
    const known = ratios.filter((ratio, at) => !Number.isNaN(ratio) && others[at] !== "kit-in-full");
    lines.push([
      scenario,
      kit.toFixed(1),
      ...ratios.map((ratio) => (Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)}x`)),
      known.every((ratio) => ratio > 1) ? "yes" : "no",
    ]);
  }
  const widths = (lines[0] as string[]).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] as string).length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
        )
        .join("  "),
    )
    .join("\n");
}

/** Returns the middle value. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
