/**
 * `cargo xtask bench workers`: measures what a request costs with one worker and with two, for kit and three peers. README.md explains
 * the results.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { writeData } from "../arena/data.ts";
import { columns, median, type Row } from "../figures.ts";
import { run } from "../http/command.ts";
import { buildLoader } from "../http/prepare.ts";
import { type Start, Subject } from "../http/subject.ts";
import { buildWithCargo } from "../messages-in-rounds.ts";
import { installPeers } from "../peers.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 3 : 7;
const seconds = values.quick ? 1 : 2;
const connections = 64;
/** Core of the load generator. The servers may use all cores. */
const core = "0";
const directory = join(import.meta.dirname, "../arena");
const repository = join(directory, "../..");
const peers = join(directory, "peers");
const entry = join(directory, "entry");
const request = "GET /json/10?m=2 HTTP/1.1\r\nHost: localhost\r\n\r\n";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

console.error("building kit's application, the load generator and the peers");
const cli = join(repository, "node_modules/@kit/cli/bin/kit.js");
await run(process.execPath, [cli, "build"], entry, stop.signal);
const loader = await buildLoader(stop.signal);
installPeers(peers);
const axum = await buildWithCargo([], join(directory, "subjects/axum"), "bench-arena-axum");

const temporary = mkdtempSync(join(tmpdir(), "kit-bench-workers-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
const data = join(temporary, "data");
writeData(data);

const bun = join(peers, "node_modules/.bin/bun");
const cluster = join(peers, "cluster.js");
const programs: Readonly<Record<string, readonly [file: string, ...parameters: string[]]>> = {
  kit: [process.execPath, join(entry, "src/main.ts")],
  "fastify-cluster": [process.execPath, cluster, "./fastify.js"],
  "elysia-bun": [bun, cluster, "./elysia.js"],
  axum: [axum],
};

/** Measured turn of a server. */
interface Turn {
  /** CPU time per request in microseconds: all processes and threads of the server. */
  readonly cost: number;
  readonly rate: number;
  /** Number of cores that the load generator kept busy. */
  readonly share: number;
  /** Number of the server's threads that did a good part of the work. With two workers, it is 2 if both served requests. */
  readonly busy: number;
}

interface Measured {
  readonly name: string;
  readonly workers: number;
  readonly subject: Subject;
  readonly turns: Turn[];
}

const measured: Measured[] = [];
try {
  for (const [name, [file, ...parameters]] of Object.entries(programs)) {
    for (const workers of [1, 2]) measured.push(await start(name, workers, file, parameters));
  }
  for (let round = 0; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    for (let index = 0; index < measured.length; index += 1) {
      stop.signal.throwIfAborted();
      // Each round begins with another server, so that no server always runs after the same one.
      const { subject, turns } = measured[(index + round) % measured.length]!;
      const turn = await measure(subject);
      if (round > 0) turns.push(turn);
    }
  }
  finish();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; no results were written");
  process.exitCode = 130;
} finally {
  for (const { subject } of measured) subject.stop();
}

async function start(
  name: string,
  workers: number,
  file: string,
  parameters: readonly string[],
): Promise<Measured> {
  const plan: Start = {
    file,
    arguments: parameters,
    cwd: entry,
    environment: {
      ARENA_DATA: data,
      ARENA_DATASET: join(data, "dataset.json"),
      ARENA_PIPE: "1",
      ARENA_STATIC: join(data, "static"),
      ARENA_WORKERS: `${workers}`,
      // No request of this benchmark reads from the database.
      DATABASE_URL: "postgres://127.0.0.1:1/none",
      HOST: "127.0.0.1",
    },
  };
  return { name, workers, subject: await Subject.start(`${name} with ${workers}`, plan), turns: [] };
}

async function measure(subject: Subject): Promise<Turn> {
  const before = cpuOfTree(subject.pid);
  const threadsBefore = cpuOfThreads(subject.pid);
  const options = [`127.0.0.1:${subject.port}`, "--connections", `${connections}`, "--seconds", `${seconds}`];
  const child = spawn("taskset", ["-c", core, loader, ...options, "--expect", "200"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(request);
  let ofLoader = 0;
  const sampling = setInterval(() => {
    // The process may have ended since the last sample.
    ofLoader = Math.max(ofLoader, child.pid === undefined ? 0 : cpuOf(`${child.pid}`));
  }, 50);
  try {
    const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
    const result = JSON.parse(text) as { requests: number; seconds: number } | { error: string };
    if ("error" in result) throw new Error(`${subject.name}: ${result.error}`);
    const cost = (cpuOfTree(subject.pid) - before) / result.requests;
    const used = [...cpuOfThreads(subject.pid)].map(([id, cpu]) => cpu - (threadsBefore.get(id) ?? 0));
    const most = Math.max(...used);
    return {
      cost,
      rate: result.requests / result.seconds,
      share: ofLoader / 1e6 / result.seconds,
      busy: used.filter((cpu) => cpu > 0 && cpu >= most / 5).length,
    };
  } finally {
    clearInterval(sampling);
  }
}

/** Returns the ids of a process and of the processes that it has started. */
function processesOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const fields = fieldsOf(`${name}/stat`);
    if (fields !== undefined) parents.set(Number(name), Number(fields[1]));
  }
  return [...parents.keys()].filter((pid) => {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== root) ancestor = parents.get(ancestor);
    return ancestor === root;
  });
}

/** Returns the CPU time of all processes of a server, in microseconds. The time of threads that have ended counts. */
function cpuOfTree(root: number): number {
  return processesOf(root).reduce((sum, pid) => sum + cpuOf(`${pid}`), 0);
}

/** Returns the CPU time of each thread of a server, in microseconds, by the id of the thread. */
function cpuOfThreads(root: number): Map<number, number> {
  const threads = processesOf(root).flatMap((pid) => threadsOf(pid).map((thread) => [pid, thread] as const));
  return new Map(threads.map(([pid, thread]) => [Number(thread), cpuOf(`${pid}/task/${thread}`)]));
}

/** Returns the ids of the threads of a process. Returns none if the process has ended. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Returns the CPU time of a process or thread, in microseconds. Linux counts in steps of 10 ms. */
function cpuOf(process: string): number {
  const fields = fieldsOf(`${process}/stat`);
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Returns the fields of a file of `/proc` after the name of the program. Returns `undefined` if it is not about a process, or the process has ended. */
function fieldsOf(path: string): readonly string[] | undefined {
  if (!/^\d/.test(path)) return undefined;
  try {
    const text = readFileSync(join("/proc", path), "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function finish(): void {
  const lines = [
    [
      "server",
      "CPU µs/req, 1",
      "CPU µs/req, 2",
      "scaling",
      "requests/s, 1",
      "requests/s, 2",
      "threads, 2",
      "loader",
    ],
  ];
  const rows: Row[] = [];
  for (const name of Object.keys(programs)) {
    const [one, two] = measured.filter((server) => server.name === name) as [Measured, Measured];
    const of = ({ turns }: Measured, key: keyof Turn): number => median(turns.map((turn) => turn[key]));
    const scaling = (2 * of(one, "cost")) / of(two, "cost");
    lines.push([
      name,
      of(one, "cost").toFixed(2),
      of(two, "cost").toFixed(2),
      scaling.toFixed(2),
      of(one, "rate").toFixed(0),
      of(two, "rate").toFixed(0),
      of(two, "busy").toFixed(0),
      of(two, "share").toFixed(2),
    ]);
    const row = (metric: string, value: number, unit: string): Row => ({
      scenario: "json-10",
      subject: name,
      metric,
      value: Number(value.toFixed(3)),
      unit,
    });
    rows.push(
      row("cpu_us_per_req_1", of(one, "cost"), "us"),
      row("cpu_us_per_req_2", of(two, "cost"), "us"),
      row("scaling", scaling, "ratio"),
      row("busy_threads_2", of(two, "busy"), "threads"),
      row("loader", of(two, "share"), "processors"),
    );
  }
  console.log(columns(lines));
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "workers", machine, settings: { connections, seconds, rounds }, rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
