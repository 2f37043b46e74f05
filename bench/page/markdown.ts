import type { Row } from "../figures.ts";
import { figure } from "../http/report.ts";
import { slowerScenarios, verdicts } from "./goals.ts";
import type { Result } from "./results.ts";
import { type Bar, chart, type Panel } from "./svg.ts";

/** Scenarios that the picture shows, with their titles. */
const pictured = { "get-param": "GET with a path parameter", "post-validate": "POST with validation" };

/** Replaces the part of a page between `<!-- name -->` and `<!-- /name -->`. */
export function fill(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = page.indexOf(open);
  const to = page.indexOf(close);
  if (from === -1 || to < from)
    throw new Error(`the page has no place for ${name}: \`${open.trim()}\` … \`${close}\``);
  return `${page.slice(0, from + open.length)}\n${text.trim()}\n\n${page.slice(to)}`;
}

/** Formats a line about the machine and the versions that a result was measured with. */
function origin({ machine, versions = {} }: Result): string {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const peers = named.length === 0 ? "" : ` Peers: ${named.join(", ")}.`;
  return `${machine.cpu}, ${machine.cores} cores, Node ${machine.node.replace(/^v/, "")}.${peers}`;
}

/** Maximum time in milliseconds from saving a file to the first response of the new code that meets the goal. */
const devGoalMs = 250;

const nothing = "No figures are recorded.";

/** Formats the results of the HTTP benchmark: a table for each scenario, with the lowest CPU time first, and the memory. */
export function httpSection(result: Result | undefined): string {
  if (result === undefined) return nothing;
  const { rows } = result;
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))].filter(
    (scenario) => scenario !== "all",
  );
  const parts = [origin(result)];
  for (const scenario of scenarios) {
    parts.push(
      `### ${scenario}`,
      [
        "| subject | CPU µs a request | requests/s | p50 ms | p99 ms |",
        "|---|--:|--:|--:|--:|",
        ...ordered(rows, scenario, "cpu_us_per_req").map((subject) => {
          const cell = (metric: string, digits: number): string => {
            const value = figure(rows, scenario, subject, metric);
            return Number.isFinite(value) ? value.toFixed(digits) : "–";
          };
          // A server that did not use a full CPU core waited for requests, so its throughput is not its
          // maximum.
          const waits = figure(rows, scenario, subject, "busy") < 0.9 ? " †" : "";
          return `| ${shown(subject)} | ${cell("cpu_us_per_req", 2)} | ${cell("rps", 0)}${waits} | ${cell("p50_ms", 2)} | ${cell("p99_ms", 2)} |`;
        }),
      ].join("\n"),
    );
  }
  if (rows.some(({ metric, value }) => metric === "busy" && value < 0.9)) {
    parts.push("† The server waited for the load or the database, so this is not its limit.");
  }
  const memory = ordered(rows, "all", "rss_mib").map(
    (subject) => `${shown(subject)} ${figure(rows, "all", subject, "rss_mib").toFixed(0)} MiB`,
  );
  if (memory.length > 0) parts.push(`Memory of the process after all scenarios: ${memory.join(", ")}.`);
  for (const { subject, scenario, reason } of result.skipped ?? []) {
    const where = scenario === undefined ? "" : ` in ${scenario}`;
    parts.push(`Not measured: ${subject}${where} (${reason.split("\n", 1)[0] ?? ""}).`);
  }
  return parts.join("\n\n");
}

/** Formats the times from the start of a process to its first response, as one table. */
export function startSection(result: Result | undefined): string {
  if (result === undefined) return nothing;
  const lines = ordered(result.rows, "start", "ms").map(
    (subject) => `| ${shown(subject)} | ${figure(result.rows, "start", subject, "ms").toFixed(1)} |`,
  );
  return [origin(result), ["| subject | ms to the first response |", "|---|--:|", ...lines].join("\n")].join(
    "\n\n",
  );
}

/** Formats the results of the benchmark of `kit dev`: the time of an edit, the load of the machine, and the effects on clients. */
export function devSection(result: Result | undefined): string {
  if (result === undefined) return nothing;
  const value = (scenario: string, metric: string): number =>
    figure(result.rows, scenario, "kit-dev", metric);
  const kinds = {
    edit: "all",
    "edit-type": "a type",
    "edit-handler": "a handler",
    "edit-contract": "a contract",
  };
  const metrics = ["p50_ms", "p90_ms", "max_ms", "build_ms", "start_ms", "rest_ms"];
  const lines = Object.entries(kinds).map(
    ([scenario, kind]) =>
      `| ${kind} | ${metrics.map((metric) => value(scenario, metric).toFixed(0)).join(" | ")} |`,
  );
  const noticed = ["refused", "reset", "wrong"].map((metric) => `${value("load", metric)} ${metric}`);
  const isMet = value("edit", "p50_ms") <= devGoalMs ? "met" : "**missed**";
  return [
    `${origin(result)} Other work on the machine: ${value("machine", "load").toFixed(1)} processes that wanted to run, on average over a minute.`,
    [
      "| edit of | median ms | p90 | greatest | build | start | rest |",
      "|---|--:|--:|--:|--:|--:|--:|",
      ...lines,
    ].join("\n"),
    `Goal: ${devGoalMs} ms at the median: ${isMet}. Concurrent requests: ${value("load", "answered")} served, ${noticed.join(", ")}.`,
  ].join("\n\n");
}

/** Formats the goals with their measured ratios, and the scenarios in which a peer is faster. */
export function goalsSection(rows: readonly Row[]): string {
  const lines = verdicts(rows).map(
    ({ goal, scenario, subject, peer, ratio, limit, isMet }) =>
      `| ${shown(subject)} compared with ${peer}, ${scenario}: ${goal} | ${limit.toFixed(2)} | ${ratio.toFixed(3)} | ${isMet ? "met" : "**missed**"} |`,
  );
  const parts = [["| goal | ratio, at most | measured | |", "|---|--:|--:|---|", ...lines].join("\n")];
  const places = slowerScenarios(rows);
  parts.push(
    places.length === 0
      ? "No peer needs less CPU than kit's own server in any scenario."
      : `Where a peer needs less CPU than kit's own server:\n\n${places.map((place) => `- ${place}`).join("\n")}`,
  );
  return parts.join("\n\n");
}

/** Draws the picture with the results of the HTTP benchmark and the start times. */
export function picture(http: Result | undefined, start: Result | undefined): string {
  const panels: Panel[] = [];
  for (const [scenario, title] of Object.entries(pictured)) {
    const bars = barsOf(http, scenario, "cpu_us_per_req");
    if (bars.length > 0) panels.push({ title: `${title}: CPU for each request`, unit: "µs", bars });
  }
  const bars = barsOf(start, "start", "ms");
  if (bars.length > 0) panels.push({ title: "Start to first answer, fifty routes", unit: "ms", bars });
  const words = panels.map(
    ({ title, unit, bars: all }) =>
      `${title}: ${all.map(({ label, value }) => `${label} ${value.toFixed(1)} ${unit}`).join(", ")}.`,
  );
  return chart("kit compared with its peers; shorter is better", words.join(" "), panels);
}

function barsOf(result: Result | undefined, scenario: string, metric: string): Bar[] {
  if (result === undefined) return [];
  return ordered(result.rows, scenario, metric).map((label) => ({
    label,
    value: figure(result.rows, scenario, label, metric),
    isOurs: label.startsWith("kit-"),
  }));
}

/** Returns the names of a scenario's subjects, the one with the smallest result first. */
function ordered(rows: readonly Row[], scenario: string, metric: string): string[] {
  return rows
    .filter((row) => row.scenario === scenario && row.metric === metric)
    .toSorted((left, right) => left.value - right.value)
    .map(({ subject }) => subject);
}

function shown(subject: string): string {
  return subject.startsWith("kit-") ? `**${subject}**` : subject;
}
