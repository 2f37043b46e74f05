/**
 * Measures the CPU time that a server needs to receive a JSON message of 125 bytes on a WebSocket and to send it back:
 * `node bench/sockets/run.ts [--quick] [--rounds 5] [--seconds 2] [--connections 64]`. README.md explains the figures.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { Start } from "../http/subject.ts";
import { buildWithCargo, measureInRounds, runLoader } from "../messages-in-rounds.ts";
import { installPeers } from "../peers.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "64" },
  },
});

const rounds = values.quick ? 2 : Number(values.rounds);
const secondsOfRound = values.quick ? "1" : values.seconds;
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const peers = join(directory, "peers");
console.error("building the load generator and the peers");
const loader = await buildWithCargo(
  ["-p", "kit-http", "--example", "socket_load"],
  repository,
  "socket_load",
);
installPeers(peers);
const axum = await buildWithCargo([], join(directory, "subjects/axum"), "bench-sockets-axum");
const bun = join(peers, "node_modules/.bin/bun");

const kit = { file: process.execPath, arguments: [join(directory, "subjects/kit.ts")], cwd: repository };
const plans: Readonly<Record<string, Start>> = {
  "kit-native": { ...kit, environment: { KIT_SERVER: "native" } },
  "kit-fallback": { ...kit, environment: { KIT_SERVER: "node" } },
  ws: { file: process.execPath, arguments: [join(peers, "ws.js")], cwd: peers },
  ...(existsSync(bun) && { bun: { file: bun, arguments: [join(peers, "bun.js")], cwd: peers } }),
  axum: { file: axum, arguments: [], cwd: peers },
};

await measureInRounds({
  plans,
  rounds,
  unit: ["message", "messages"],
  digits: 2,
  load: async (subject) => {
    const options = { connections: values.connections, seconds: secondsOfRound };
    const result = await runLoader<{ messages: number; seconds: number; p99_ms: number }>(
      loader,
      subject,
      options,
    );
    return { ...result, count: result.messages };
  },
});
