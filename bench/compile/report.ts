import { columns, type Row } from "../figures.ts";
import { unplugged } from "./subjects.ts";

/** Formats the cost of plugin hooks: for each kind of hook function, the milliseconds that it adds to a cold build, and the ratio. */
export function hooks(rows: readonly Row[]): string {
  const cold = (subject: string): number =>
    rows.find((row) => row.scenario === "cold" && row.subject === subject)?.value ?? Number.NaN;
  const base = cold(unplugged);
  return ["kit-idle-taps", "kit-reading-taps"]
    .map((name) => {
      const value = cold(name);
      return `${name.padEnd(16)} ${(value - base).toFixed(1)} ms more than without plugins, ${(value / base).toFixed(2)}x`;
    })
    .join("\n");
}

/** Formats a table with a line for each subject: its times, and their ratios to the times of `kit build`. */
export function table(rows: readonly Row[]): string {
  const scenarios = [...new Set(rows.map((row) => row.scenario))];
  const read = (scenario: string, subject: string): number =>
    rows.find((row) => row.scenario === scenario && row.subject === subject)?.value ?? Number.NaN;
  const lines = [["subject", ...scenarios.flatMap((scenario) => [`${scenario} ms`, "ratio"])]];
  for (const subject of new Set(rows.map((row) => row.subject))) {
    const cells = scenarios.flatMap((scenario) => {
      const value = read(scenario, subject);
      return [value.toFixed(1), `${(value / read(scenario, "kit")).toFixed(2)}x`];
    });
    lines.push([subject, ...cells]);
  }
  return columns(lines);
}
