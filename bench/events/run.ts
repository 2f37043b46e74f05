/**
 * Measures the CPU time that a server needs to send one event to 1,000 readers of Server-Sent Events:
 * `node bench/events/run.ts [--quick] [--rounds 5] [--seconds 2] [--connections 1000]`. README.md explains the figures.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { run } from "../http/command.ts";
import type { Start } from "../http/subject.ts";
import { buildWithCargo, measureInRounds, runLoader } from "../messages-in-rounds.ts";
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

const rounds = values.quick ? 2 : Number(values.rounds);
const secondsOfRound = values.quick ? "1" : values.seconds;
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const app = join(directory, "app");
const peers = join(directory, "peers");
const { signal } = new AbortController();
console.error("building the application, the load generator and the peers");
await run(process.execPath, [join(repository, "node_modules/@kit/cli/bin/kit.js"), "build"], app, signal);
const loader = await buildWithCargo(
  ["-p", "kit-http", "--example", "events_load"],
  repository,
  "events_load",
);
installPeers(peers);
const axum = await buildWithCargo([], join(directory, "subjects/axum"), "bench-events-axum");
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

await measureInRounds({
  plans: Object.fromEntries(Object.entries(plans).filter(([name]) => chosen.includes(name))),
  rounds,
  unit: ["delivery", "deliveries"],
  digits: 1,
  load: async (subject) => {
    const options = { connections: values.connections, seconds: secondsOfRound };
    const result = await runLoader<{ deliveries: number; seconds: number; p99_ms: number }>(
      loader,
      subject,
      options,
    );
    return { ...result, count: result.deliveries };
  },
});
