/**
 * Measures the CPU time that a server needs to send one event to 1,000 readers of Server-Sent Events:
 * `node bench/events/run.ts [--quick] [--rounds 5] [--seconds 2] [--connections 1000]`. README.md explains the figures.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { columns, median } from "../figures.ts";
import { executableOf } from "../http/prepare.ts";
import { run } from "../http/command.ts";
import { Subject, type Start } from "../http/subject.ts";
import { installPeers } from "../peers.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "1000" },
    subjects: { type: "string" },
  },
});

/** Result that the load generator prints. */
interface Load {
  readonly deliveries: number;
  readonly seconds: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const rounds = values.quick ? 2 : Number(values.rounds);
const secondsOfRound = values.quick ? "1" : values.seconds;
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const app = join(directory, "app");
const peers = join(directory, "peers");
/** Data of exactly 125 bytes, as `JSON.stringify` and serde write it. */
const start = { kind: "message", room: "general", author: "ada", id: 1_234_567 };
const message = JSON.stringify({
  ...start,
  text: "x".repeat(125 - JSON.stringify({ ...start, text: "" }).length),
});

const { signal } = new AbortController();
const cargo = (options: readonly string[], cwd: string, target?: string): Promise<string> =>
  run("cargo", ["build", "--release", "--locked", "--message-format", "json", ...options], cwd, signal, {
    ...process.env,
    ...(target !== undefined && { CARGO_TARGET_DIR: target }),
  });
console.error("building the application, the load generator and the peers");
await run(process.execPath, [join(repository, "node_modules/@kit/cli/bin/kit.js"), "build"], app, signal);
const loader = executableOf(
  await cargo(["-p", "kit-http", "--example", "events_load"], repository),
  "events_load",
);
installPeers(peers);
const axum = executableOf(
  await cargo([], join(directory, "subjects/axum"), join(repository, "target/bench-peers")),
  "bench-events-axum",
);
const bun = join(peers, "node_modules/.bin/bun");

const kit = { file: process.execPath, arguments: ["src/main.ts"], cwd: app };
const node = (name: string): Start => ({
  file: process.execPath,
  arguments: [join(peers, name)],
  cwd: peers,
});
const plans: Readonly<Record<string, Start>> = {
  "kit-native": { ...kit, environment: { KIT_SERVER: "native" } },
  "kit-fallback": { ...kit, environment: { KIT_SERVER: "node" } },
  "fastify-raw": node("fastify-raw.js"),
  "fastify-sse": node("fastify-sse.js"),
  ...(existsSync(bun) && { bun: { file: bun, arguments: [join(peers, "bun.js")], cwd: peers } }),
  axum: { file: axum, arguments: [], cwd: peers },
};
const chosen = values.subjects?.split(",") ?? Object.keys(plans);

async function load(subject: Subject, seconds: string): Promise<Load> {
  const child = spawn(
    loader,
    [`127.0.0.1:${subject.port}`, "--connections", values.connections, "--seconds", seconds],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  child.stdin.end(message);
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const result = JSON.parse(text) as Load | { readonly error: string };
  if ("error" in result) throw new Error(`${subject.name}: ${result.error}`);
  return result;
}

const subjects: Subject[] = [];
try {
  for (const [name, plan] of Object.entries(plans)) {
    if (!chosen.includes(name)) continue;
    const subject = await Subject.start(name, plan);
    try {
      // The warm-up also shows if the subject can be measured.
      await load(subject, secondsOfRound);
      subjects.push(subject);
    } catch (error) {
      subject.stop();
      console.error(`skipped ${String(error)}`);
    }
  }
  const costs = new Map(subjects.map((subject) => [subject, [] as number[]]));
  const rates = new Map(subjects.map((subject) => [subject, [] as number[]]));
  const tails = new Map(subjects.map((subject) => [subject, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < subjects.length; index += 1) {
      const subject = subjects[(index + round) % subjects.length]!;
      const before = subject.cpuMicroseconds();
      const { deliveries, seconds, p99_ms } = await load(subject, secondsOfRound);
      costs.get(subject)!.push((subject.cpuMicroseconds() - before) / deliveries);
      rates.get(subject)!.push(deliveries / seconds);
      tails.get(subject)!.push(p99_ms);
    }
  }
  const base = median(costs.get(subjects[0]!)!);
  const lines = subjects.map((subject) => {
    const cost = median(costs.get(subject)!);
    return [
      subject.name,
      cost.toFixed(2),
      (cost / base).toFixed(2),
      median(rates.get(subject)!).toFixed(0),
      median(tails.get(subject)!).toFixed(1),
      subject.rssMebibytes().toFixed(0),
    ];
  });
  console.log(columns([["subject", "cpu µs/delivery", "ratio", "deliveries/s", "p99 ms", "MiB"], ...lines]));
} finally {
  for (const subject of subjects) subject.stop();
}
