import { columns, type Row } from "../figures.ts";

/** Formats a line for each scenario: kit's time, and the ratio of every other subject's time to kit's. */
export function table(rows: readonly Row[]): string {
  const subjects = [...new Set(rows.map((row) => row.subject))];
  const others = subjects.filter((subject) => subject !== "kit");
  const lines = [["scenario", "kit ns", ...others, "ahead of all"]];
  for (const scenario of new Set(rows.map((row) => row.scenario))) {
    const read = (subject: string): number | undefined =>
      rows.find((row) => row.scenario === scenario && row.subject === subject)?.value;
    const kit = read("kit") ?? Number.NaN;
    const ratios = others.map((subject) => (read(subject) ?? Number.NaN) / kit);
    // `kit-in-full` does not count as another subject, because it is kit itself, which reports failures in
    // more detail.
    const known = ratios.filter((ratio, at) => !Number.isNaN(ratio) && others[at] !== "kit-in-full");
    lines.push([
      scenario,
      kit.toFixed(1),
      ...ratios.map((ratio) => (Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)}x`)),
      known.every((ratio) => ratio > 1) ? "yes" : "no",
    ]);
  }
  return columns(lines);
}
