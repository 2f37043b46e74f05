/**
 * `cargo xtask bench start`: measures the time from the start of a process to its first response. Compares an application with fifty routes
 * on kit, Fastify and Express, and node:http without a framework as the minimum. Each start is a new process, and the subjects run in turn.
 */
import { symlinkSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { run } from "../http/command.ts";
import { peers } from "../http/prepare.ts";
import { median, type Row } from "../figures.ts";
import { installPeers, peerVersions } from "../peers.ts";
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

/** Programs to start, in the order of the table. */
const subjects: readonly { readonly name: string; readonly module: string; readonly cache?: string }[] = [
  { name: "kit-native", module: "built/src/main.js" },
  { name: "kit-native-source", module: "kit/src/main.ts" },
  { name: "kit-native-source-cached", module: "kit/src/main.ts", cache: join(generated, "cache") },
  { name: "fastify", module: "fastify/src/main.js" },
  { name: "express", module: "express/src/main.js" },
  { name: "node-http", module: "node/src/main.js" },
];

try {
  console.error("writing and building the applications");
  installPeers(peers);
  writeProjects(generated, join(directory, "../http/peers/node_modules"));
  const kit = join(repository, "node_modules/@kit/cli/bin/kit.js");
  await run(process.execPath, [kit, "build"], join(generated, "kit"), stop.signal);
  await emit(
    join(generated, "kit"),
    join(generated, "built"),
    join(repository, "target/packages"),
    stop.signal,
  );
  // Node does not strip types below node_modules. So the packages are JavaScript, even if the application itself runs from
  // its TypeScript source.
  symlinkSync(join(generated, "built/node_modules"), join(generated, "kit/node_modules"), "dir");

  const samples = new Map<string, number[]>();
  // The first round only fills the caches of the file system and of Node, and is discarded.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, module, cache } of subjects) {
      const start = { name, module: join(generated, module), cache };
      const taken = await timeStart(start, firstRequest, stop.signal);
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), taken]);
    }
  }
  finish(samples);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; no results were written");
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
  console.log(
    `${size.routes} routes, from the start of the process to the first response, median of ${rounds}\n`,
  );
  for (const { subject, value } of rows) {
    console.log(`${subject.padEnd(24)} ${value.toFixed(1).padStart(7)} ms  ${(value / ours).toFixed(2)}x`);
  }
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const { express = "", fastify = "", zod = "" } = peerVersions(peers);
  const result = { bench: "start", machine, versions: { express, fastify, zod }, size, rounds, rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
