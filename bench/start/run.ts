/**
 * `cargo xtask bench start`: how long a process takes from its start to its first answer, for an application of fifty routes on kit,
 * Fastify and Express, and for bare node:http as the floor. A fresh process each time, taking turns.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { run } from "../http/command.ts";
import { installPeers, peerVersions } from "../http/prepare.ts";
import { median, type Row } from "../http/report.ts";
import { emit } from "./emit.ts";
import { firstRequest, size, writeProjects } from "./project.ts";
import { timeStart } from "./time.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 5 : 21;
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const generated = join(directory, "generated");

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

const subjects = {
  /** JavaScript, as it is deployed. */
  "kit-native": "built/src/main.js",
  /** TypeScript, whose types Node strips as it loads. */
  "kit-native-source": "kit/src/main.ts",
  fastify: "fastify/src/main.js",
  express: "express/src/main.js",
  "node-http": "node/src/main.js",
};

try {
  console.error("writing and building the applications");
  await installPeers(stop.signal);
  writeProjects(generated, join(directory, "../http/peers/node_modules"));
  const kit = join(repository, "node_modules/@kit/cli/bin/kit.js");
  await run(process.execPath, [kit, "build"], join(generated, "kit"), stop.signal);
  await emit(join(generated, "kit"), join(generated, "built"), stop.signal);

  const samples = new Map<string, number[]>();
  // The first round fills the caches of the file system and is thrown away.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, module] of Object.entries(subjects)) {
      const taken = await timeStart(name, join(generated, module), firstRequest, stop.signal);
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), taken]);
    }
  }
  finish(samples);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; nothing was written");
  process.exitCode = 130;
}

function finish(samples: ReadonlyMap<string, readonly number[]>): void {
  const rows: Row[] = [...samples].map(([subject, taken]) => ({
    scenario: "start",
    subject,
    metric: "ms",
    value: Number(median(taken).toFixed(1)),
    unit: "ms",
  }));
  const ours = rows[0]?.value ?? Number.NaN;
  console.log(`${size.routes} routes, process start to first answer, median of ${rounds}\n`);
  for (const { subject, value } of rows) {
    console.log(`${subject.padEnd(18)} ${value.toFixed(1).padStart(7)} ms  ${(value / ours).toFixed(2)}x`);
  }
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const { express = "", fastify = "", zod = "" } = peerVersions();
  const result = { bench: "start", machine, versions: { express, fastify, zod }, size, rounds, rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
