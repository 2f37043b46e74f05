import type { Row } from "../figures.ts";
import { figure } from "../http/report.ts";

/** Goal: the greatest ratio between the results of two subjects. */
interface Goal {
  readonly what: string;
  readonly scenario: string;
  readonly subject: string;
  readonly peer: string;
  readonly metric: string;
  readonly limit: number;
}

const native = (scenario: string, peer: string, limit: number, what: string): Goal => ({
  what,
  scenario,
  subject: "kit-native",
  peer,
  metric: "cpu_us_per_req",
  limit,
});

const goals: readonly Goal[] = [
  native("get-param", "axum", 1, "no more CPU than axum"),
  native("post-validate", "axum", 1, "no more CPU than axum"),
  native("get-param", "elysia-bun", 1, "less CPU than Elysia on Bun"),
  native("post-validate", "elysia-bun", 0.75, "at most three quarters of Elysia's CPU"),
  native("get-param", "node-http", 0.5, "at most half of node:http's CPU"),
  native("post-validate", "node-http", 0.5, "at most half of node:http's CPU"),
  ...["express", "fastify", "hono"].flatMap((peer) =>
    ["get-param", "post-validate"].map((scenario) => ({
      what: "the adapter costs at most 5 % more CPU than the framework alone",
      scenario,
      subject: `kit-${peer}`,
      peer,
      metric: "cpu_us_per_req",
      limit: 1 / 0.95,
    })),
  ),
  ...["fastify", "express"].map((peer) => ({
    what: "starts before the peer",
    scenario: "start",
    subject: "kit-native",
    peer,
    metric: "ms",
    limit: 1,
  })),
];

/** Goal with the measured ratio, and whether it is met. */
export interface Verdict {
  readonly goal: string;
  readonly scenario: string;
  readonly subject: string;
  readonly peer: string;
  readonly ratio: number;
  readonly limit: number;
  readonly isMet: boolean;
}

/** Compares the results with the goals. Leaves out goals whose subjects were not measured. */
export function verdicts(rows: readonly Row[]): Verdict[] {
  return goals.flatMap(({ what, scenario, subject, peer, metric, limit }) => {
    const ratio = figure(rows, scenario, subject, metric) / figure(rows, scenario, peer, metric);
    if (!Number.isFinite(ratio)) return [];
    return [{ goal: what, scenario, subject, peer, ratio, limit, isMet: ratio <= limit }];
  });
}

/** Returns descriptions of the scenarios in which kit's own server uses more CPU time than a peer. */
export function slowerScenarios(rows: readonly Row[]): string[] {
  const found: string[] = [];
  for (const { scenario, subject, metric, value } of rows) {
    if (metric !== "cpu_us_per_req" || subject.startsWith("kit-")) continue;
    const ratio = figure(rows, scenario, "kit-native", metric) / value;
    if (ratio > 1) found.push(`${subject} in ${scenario}: ${ratio.toFixed(2)} times its CPU`);
  }
  return found;
}
