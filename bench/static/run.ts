/**
 * Measures the CPU time that a server needs to send a file of 4 KiB and one of 1 MiB:
 * `node bench/static/run.ts [--quick] [--rounds 5] [--seconds 2] [--connections 64]`. README.md explains the figures.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { columns, median } from "../figures.ts";
import { run } from "../http/command.ts";
import { load } from "../http/load.ts";
import { executableOf } from "../http/prepare.ts";
import { Subject, type Start } from "../http/subject.ts";
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
const secondsOfRound = values.quick ? 1 : Number(values.seconds);
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const peers = join(directory, "peers");
const files = { "4 KiB": 4 * 1024, "1 MiB": 1024 * 1024 } as const;

const { signal } = new AbortController();
const cargo = (options: readonly string[], cwd: string, target?: string): Promise<string> =>
  run("cargo", ["build", "--release", "--locked", "--message-format", "json", ...options], cwd, signal, {
    ...process.env,
    ...(target !== undefined && { CARGO_TARGET_DIR: target }),
  });
console.error("building the load generator and the peers");
const loader = executableOf(await cargo(["-p", "kit-http", "--example", "load"], repository), "load");
installPeers(peers);
const serveDir = executableOf(
  await cargo([], join(directory, "subjects/serve-dir"), join(repository, "target/bench-peers")),
  "bench-static-serve-dir",
);

const root = mkdtempSync(join(tmpdir(), "kit-bench-static-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));
for (const bytes of Object.values(files)) writeFileSync(join(root, `${bytes}.bin`), Buffer.alloc(bytes, "a"));

const environment = { STATIC_DIRECTORY: root };
const kit = { file: process.execPath, arguments: [join(directory, "subjects/kit.ts")], cwd: repository };
const plans: Readonly<Record<string, Start>> = {
  "kit-native": { ...kit, environment: { ...environment, KIT_SERVER: "native" } },
  "kit-fallback": { ...kit, environment: { ...environment, KIT_SERVER: "node" } },
  "fastify-static": {
    file: process.execPath,
    arguments: [join(peers, "fastify-static.js")],
    cwd: peers,
    environment,
  },
  "serve-dir": { file: serveDir, arguments: [], cwd: peers, environment },
};

const subjects: Subject[] = [];
try {
  for (const [name, plan] of Object.entries(plans)) subjects.push(await Subject.start(name, plan));
  for (const [title, bytes] of Object.entries(files)) {
    const request = `GET /${bytes}.bin HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const measure = async (subject: Subject): Promise<[cost: number, rate: number, p99: number]> => {
      const before = subject.cpuMicroseconds();
      const sent = { request, status: 200 };
      const result = await load(loader, subject.port, sent, Number(values.connections), secondsOfRound);
      const cost = (subject.cpuMicroseconds() - before) / result.requests;
      return [cost, result.requests / result.seconds, result.p99_ms];
    };
    const results = new Map(subjects.map((subject) => [subject, [] as [number, number, number][]]));
    for (const subject of subjects) await measure(subject);
    for (let round = 0; round < rounds; round += 1) {
      for (let index = 0; index < subjects.length; index += 1) {
        const subject = subjects[(index + round) % subjects.length]!;
        results.get(subject)!.push(await measure(subject));
      }
    }
    const medianOf = (subject: Subject, column: 0 | 1 | 2): number =>
      median(results.get(subject)!.map((row) => row[column]));
    const base = medianOf(subjects[0]!, 0);
    const lines = subjects.map((subject) => [
      subject.name,
      medianOf(subject, 0).toFixed(1),
      (medianOf(subject, 0) / base).toFixed(2),
      medianOf(subject, 1).toFixed(0),
      medianOf(subject, 2).toFixed(2),
      subject.rssMebibytes().toFixed(0),
    ]);
    console.log(
      `\n${title}\n${columns([["subject", "cpu µs/file", "ratio", "files/s", "p99 ms", "MiB"], ...lines])}`,
    );
  }
} finally {
  for (const subject of subjects) subject.stop();
}
