/** One measured value of a benchmark. */
export interface Row {
  readonly scenario: string;
  readonly subject: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
}

/** Returns the median: the middle value, or the mean of the two middle values. Returns `NaN` for an empty list. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns a percentile: the smallest sample that at least the given share of the samples does not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Formats lines of cells as columns of equal width. The first `names` columns are aligned to the left, all others to the right. */
export function columns(lines: readonly (readonly string[])[], names: number = 1): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
