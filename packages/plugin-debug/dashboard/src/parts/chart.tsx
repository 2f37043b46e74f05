import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import { looksDark, onLook } from "../state/preferences.ts";
import { clock } from "../text/format.ts";

/** Data series of a chart, drawn as one line. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly tone: "first" | "second" | "third" | "bad";
  readonly isFilled?: boolean;
}

interface ChartProps {
  readonly title: string;
  /** Times in milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** Values of the grid lines: powers of two for bytes, or whole numbers for counts. Default: any values. */
  readonly steps?: keyof typeof increments;
  /** Least and greatest time of the axis. Without it, the axis has the range of the data. */
  readonly range?: readonly [number, number];
}

const height = 190;
const colours: Readonly<Record<Line["tone"] | "grid" | "text", readonly [light: string, dark: string]>> = {
  first: ["#0b68cb", "#70b8ff"],
  second: ["#a35200", "#f5b95b"],
  third: ["#c62a4f", "#ff8fa3"],
  bad: ["#c62a2f", "#ff9592"],
  grid: ["#e4e6ea", "#2a2d31"],
  text: ["#60646c", "#b0b4ba"],
};

function colour(name: keyof typeof colours): string {
  return colours[name][looksDark() ? 1 : 0];
}

/** Chart over time. Its label contains the last values as text. */
export function Chart({ title, times, lines, format, range, steps }: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const data = [
    times.map((time) => time / 1_000),
    ...lines.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;
  const latest = useRef({ data, range });
  latest.current = { data, range };
  const names = lines.map(({ label }) => label).join("\n");
  // A single value between two gaps has no line, so each value is drawn as a point if there are few.
  const isSparse = lines.some(({ values }) => values.filter((value) => value !== null).length < 20);

  useEffect(() => {
    const element = place.current!;
    const draw = (): void => {
      chart.current?.destroy();
      chart.current = new uPlot(options(element.clientWidth), latest.current.data, element);
    };
    const options = (width: number): uPlot.Options => ({
      width: Math.max(width, 120),
      height,
      padding: [10, 12, 0, 0],
      cursor: { y: false, points: { size: 7 } },
      legend: { live: true },
      scales: {
        x: { range: (_, min, max) => spanOf(latest.current.range, min, max) },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.12 : 1] },
      },
      axes: [
        axis({ values: (chartOf, ticks) => timesOf(chartOf, ticks), space: 72, size: 28 }),
        axis({
          values: (_, ticks) => ticks.map(format),
          size: 68,
          space: 36,
          ...(steps !== undefined && { incrs: increments[steps] }),
        }),
      ],
      series: [
        { label: "At", value: (_, time) => (time === null ? "last" : clock(time * 1_000, false)) },
        ...lines.map(({ label, tone, isFilled }, index) => ({
          label,
          stroke: colour(tone),
          width: 1.75,
          ...(isFilled === true && { fill: `${colour(tone)}22` }),
          points: { show: isSparse, size: 4 },
          value: (chartOf: uPlot, value: number | null, _: number, at: number | null) =>
            shownValue(at === null ? lastOf(chartOf.data[index + 1] ?? []) : value, format),
        })),
      ],
    });
    draw();
    let width = element.clientWidth;
    const resizing = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      chart.current?.setSize({ width: Math.max(width, 120), height });
    });
    resizing.observe(element);
    const leave = onLook(draw);
    return () => {
      resizing.disconnect();
      leave();
      chart.current?.destroy();
      chart.current = null;
    };
    // The label of a line determines its style.
  }, [names, isSparse]);

  useEffect(() => chart.current?.setData(data));

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title}. ${inWords(lines, format)}`} />
    </figure>
  );
}

function spanOf(range: ChartProps["range"], min: number, max: number): uPlot.Range.MinMax {
  if (range !== undefined) return [range[0] / 1_000, range[1] / 1_000];
  // The axis needs a range of times, which a single value does not have.
  return min === max ? [min - 30, max + 30] : [min, max];
}

/** Formats the times on the axis. Includes seconds if the axis is shorter than four minutes. */
function timesOf({ scales }: uPlot, ticks: readonly number[]): string[] {
  const { min = 0, max = 0 } = scales["x"] ?? {};
  const isShort = (max ?? 0) - (min ?? 0) < 240;
  return ticks.map((tick) => clock(tick * 1_000, false).slice(0, isShort ? 8 : 5));
}

const increments = {
  binary: Array.from({ length: 44 }, (_, index) => 2 ** index),
  whole: Array.from({ length: 10 }, (_, exponent) => [1, 2, 5].map((digit) => digit * 10 ** exponent)).flat(),
};

function lastOf(values: ArrayLike<number | null | undefined>): number | null {
  return Array.from(values).findLast((value) => value !== null && value !== undefined) ?? null;
}

function shownValue(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

function axis(more: uPlot.Axis): uPlot.Axis {
  const line = { stroke: colour("grid"), width: 1 };
  return {
    stroke: colour("text"),
    font: "11px system-ui, sans-serif",
    grid: line,
    ticks: { ...line, size: 4 },
    ...more,
  };
}

function inWords(lines: readonly Line[], format: (value: number) => string): string {
  const last = lines.map(({ label, values }) => {
    return `${label} ${shownValue(lastOf(values), format)}`;
  });
  return `Latest: ${last.join(", ")}`;
}
