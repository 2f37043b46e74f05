/**
 * `cargo xtask bench http`: kit's native server with the full pipeline beside bare node:http that does the same work by hand,
 * on this machine, in one run, taking turns. What counts are the ratios.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";

import { buildLoader, load } from "./load.ts";
import { Subject } from "./subject.ts";
import { type Row, table } from "./report.ts";
import { scenarios } from "./scenarios.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string", default: "64" },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 0.8 : 3));
const rounds = values.quick ? 3 : 5;
const connections = Number(values.connections);
if (!(seconds > 0) || !Number.isInteger(connections))
  throw new RangeError("--seconds and --connections are numbers");

const directory = import.meta.dirname;
execFileSync(process.execPath, ["../../../node_modules/@kit/cli/bin/kit.js", "build"], {
  cwd: `${directory}/app`,
  stdio: ["ignore", "ignore", "inherit"],
});
const loader = buildLoader();
const subjects = [
  await Subject.start("kit-native", `${directory}/app/src/main.ts`),
  await Subject.start("node-http", `${directory}/subjects/node-http.ts`),
];

const rows: Row[] = [];
try {
  for (const scenario of scenarios) {
    for (const subject of subjects) await subject.check(scenario);
    const samples = new Map(subjects.map((subject) => [subject, [] as Sample[]]));
    // The first round warms up and is thrown away.
    for (let round = 0; round <= rounds; round += 1) {
      for (const subject of subjects) {
        const before = subject.cpuMicroseconds();
        const result = await load(loader, subject.port, scenario, connections, round === 0 ? 1 : seconds);
        const cpu = (subject.cpuMicroseconds() - before) / result.requests;
        if (round > 0)
          samples.get(subject)!.push({ cpu, rps: result.requests / result.seconds, p99: result.p99_ms });
      }
    }
    for (const [subject, taken] of samples) {
      const row = (metric: string, unit: string, read: (sample: Sample) => number): void => {
        rows.push({
          scenario: scenario.name,
          subject: subject.name,
          metric,
          value: median(taken.map(read)),
          unit,
        });
      };
      row("cpu_us_per_req", "us", (sample) => sample.cpu);
      row("rps", "1/s", (sample) => sample.rps);
      row("p99_ms", "ms", (sample) => sample.p99);
    }
  }
  for (const subject of subjects) {
    rows.push({
      scenario: "all",
      subject: subject.name,
      metric: "rss_mib",
      value: subject.rssMebibytes(),
      unit: "MiB",
    });
  }
} finally {
  for (const subject of subjects) subject.stop();
}

console.log(table(rows, "kit-native", "node-http"));
if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  writeFileSync(values.json, `${JSON.stringify({ bench: "http", machine, rows }, null, 2)}\n`);
}

interface Sample {
  readonly cpu: number;
  readonly rps: number;
  readonly p99: number;
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
