/**
 * `cargo xtask bench router`: compares kit's routers in Rust and in TypeScript with other routers in the same language, for the same routes
 * and requests, in turn, in one run. Only the ratios matter. README.md explains the results.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";

import { installPeers, peerVersions } from "../peers.ts";
import { SubjectProcess } from "./process.ts";
import { median, type Row } from "../figures.ts";
import { table } from "./report.ts";
import { sets } from "./sets.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
// In Rust, many short rounds are measured and the fastest one counts. In JavaScript, CPU time counts, which includes the threads
// of the garbage collector.
const short = { rounds: values.quick ? 30 : 150, milliseconds: 1 };
const rounds = values.quick ? 3 : 9;
const milliseconds = values.quick ? 10 : 40;

const directory = import.meta.dirname;
const programs = `${directory}/../../target/release/examples`;
const peers = `${directory}/peers`;
installPeers(peers);
mkdirSync(`${directory}/generated`, { recursive: true });
const setsFile = `${directory}/generated/sets.json`;
const documentsFile = `${directory}/generated/documents.json`;
writeFileSync(setsFile, JSON.stringify(sets));

function ask(program: string, ...args: readonly string[]): string {
  return execFileSync(`${programs}/${program}`, args, { encoding: "utf8", maxBuffer: 1 << 26 });
}

writeFileSync(documentsFile, ask("compare", "documents", setsFile));

const rust = [
  ...(JSON.parse(
    ask("compare", "time", setsFile, String(short.rounds), String(short.milliseconds)),
  ) as Row[]),
  ...(JSON.parse(ask("memory", setsFile)) as Row[]),
];
console.log(`Rust\n${table(rust, "kit")}\n`);

const typescript: Row[] = [];
const subjects: SubjectProcess[] = [];
try {
  for (const name of ["kit", "find-my-way", "hono", "rou3", "memoirist"]) {
    subjects.push(await SubjectProcess.start(name, setsFile, documentsFile));
  }
  for (const set of sets) {
    for (const scenario of [...Object.keys(set.requests), "load", "memory"]) {
      const able = subjects.filter((subject) => subject.supported.has(`${set.name}/${scenario}`));
      const samples = new Map(able.map((subject) => [subject.name, [] as number[]]));
      // The first round only loads the code into the CPU caches and is discarded.
      for (let round = 0; round <= rounds; round += 1) {
        for (const subject of able) {
          const value = await subject.measure(set.name, scenario, milliseconds);
          if (round > 0) samples.get(subject.name)?.push(value);
        }
      }
      const [metric, unit] = scenario === "memory" ? ["bytes", "B"] : ["ns", "ns"];
      for (const [subject, taken] of samples) {
        typescript.push({
          scenario: `${set.name}/${scenario}`,
          subject: `${subject}-js`,
          metric,
          value: median(taken),
          unit,
        });
      }
    }
  }
} finally {
  for (const subject of subjects) subject.stop();
}
console.log(`TypeScript\n${table(typescript, "kit-js")}`);

if (values.json !== undefined) {
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "router", machine, versions: peerVersions(peers), rows: [...rust, ...typescript] };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
