import { columns, type Row } from "../figures.ts";

/** Formats a line for each scenario: kit's result, and the ratio of every other subject's result to kit's. */
export function table(rows: readonly Row[], ours: string): string {
  const others = [...new Set(rows.map((row) => row.subject))].filter((subject) => subject !== ours);
  const lines = [["scenario", ours, ...others, "ahead of all"]];
  for (const scenario of new Set(rows.map((row) => row.scenario))) {
    const read = (subject: string): Row | undefined =>
      rows.find((row) => row.scenario === scenario && row.subject === subject);
    const own = read(ours);
    const ratios = others.map((subject) => (read(subject)?.value ?? Number.NaN) / (own?.value ?? Number.NaN));
    const known = ratios.filter((ratio) => !Number.isNaN(ratio));
    lines.push([
      scenario,
      `${(own?.value ?? Number.NaN).toFixed(own?.unit === "ns" ? 1 : 0)} ${own?.unit ?? ""}`,
      ...ratios.map((ratio) => (Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)}x`)),
      known.length === 0 ? "" : known.every((ratio) => ratio > 1) ? "yes" : "no",
    ]);
  }
  return columns(lines);
}
