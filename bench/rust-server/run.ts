/**
 * `cargo xtask bench rust-server`: compares the Rust server that kit generates for the Notes example with a handwritten one. The
 * servers run in turn. Each has its own database with the same rows. README.md explains the results.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import { createTestDatabase, type TestDatabase } from "@kit/dev-database";

import { load } from "../http/load.ts";
import { positive, select } from "../http/select.ts";
import { Subject } from "../http/subject.ts";
import { prepare, type Programs, versions } from "./prepare.ts";
import type { Row } from "../figures.ts";
import { isMet, type Pair, rowsOf, table, verdicts } from "./report.ts";
import { type NotesScenario, scenarios, seed, settle, token } from "./scenarios.ts";

interface Plan {
  readonly chosen: readonly NotesScenario[];
  readonly seconds: number;
  readonly connections: number;
  readonly rounds: number;
  readonly json: string | undefined;
}

/** One of the two servers, with its own database. */
interface Side {
  readonly subject: Subject;
  readonly database: TestDatabase;
}

/** Duration in seconds of the first turn, which is a warm-up and is discarded. */
const warmUp = 0.5;
const { chosen, seconds, connections, rounds, json } = planned();
const example = join(import.meta.dirname, "../../examples/notes");
/** Load average of the machine before the benchmark starts. */
const [otherWork = 0] = loadavg();

function planned(): Plan {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        scenarios: { type: "string" },
        seconds: { type: "string" },
        rounds: { type: "string" },
        connections: { type: "string", default: "64" },
      },
    });
    const { quick } = values;
    return {
      chosen: select("--scenarios", values.scenarios, scenarios),
      seconds: positive("--seconds", values.seconds ?? (quick ? "0.5" : "1")),
      connections: positive("--connections", values.connections),
      rounds: positive("--rounds", values.rounds ?? (quick ? "5" : "15")),
      json: values.json,
    };
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

async function fill(database: TestDatabase): Promise<void> {
  await database.query(seed);
  await database.query(settle);
}

async function start(name: string, file: string, database: TestDatabase): Promise<Side> {
  await fill(database);
  const subject = await Subject.start(name, {
    file,
    arguments: [],
    cwd: import.meta.dirname,
    environment: { DATABASE_URL: database.url, HOST: "127.0.0.1" },
  });
  return { subject, database };
}

/** Measures one server for one turn. */
async function turn(
  loader: string,
  { subject, database }: Side,
  scenario: NotesScenario,
  time: number,
): Promise<Pair["kit"]> {
  stop.signal.throwIfAborted();
  if (scenario.writes === true) await fill(database);
  const before = subject.cpuMicroseconds();
  const sent = {
    request: scenario.requests.join(""),
    size: scenario.request.length,
    status: scenario.status,
  };
  const { requests, seconds: taken, ...latency } = await load(loader, subject.port, sent, connections, time);
  const used = subject.cpuMicroseconds() - before;
  return {
    cpu: used / requests,
    rps: requests / taken,
    p50: latency.p50_ms,
    p99: latency.p99_ms,
    busy: used / 1e6 / taken,
  };
}

/** Checks that the two servers respond correctly. If a response contains only stored data, they must send the same bytes. */
async function check(sides: readonly [Side, Side], scenario: NotesScenario): Promise<void> {
  const texts: string[] = [];
  for (const { subject, database } of sides) {
    if (!subject.isRunning) throw new Error(`${subject.name}: its process has exited`);
    if (scenario.writes === true) await fill(database);
    await subject.check(scenario);
    if (scenario.path === undefined) continue;
    const url = `http://127.0.0.1:${subject.port}${scenario.path}`;
    texts.push(await (await fetch(url, { headers: { authorization: token } })).text());
  }
  if (texts[0] !== texts[1]) {
    throw new Error(`${scenario.name}: the responses of the servers differ:\n${texts.join("\n")}`);
  }
}

async function measure(
  loader: string,
  [kit, peer]: readonly [Side, Side],
  scenario: NotesScenario,
): Promise<Pair[]> {
  await check([kit, peer], scenario);
  const pairs: Pair[] = [];
  for (const side of [kit, peer]) await turn(loader, side, scenario, warmUp);
  for (let round = 0; round < rounds; round += 1) {
    tell(`${scenario.name}: round ${round + 1} of ${rounds}`);
    // Alternates the order, so that no server always runs after the other one.
    if (round % 2 === 0) {
      const first = await turn(loader, kit, scenario, seconds);
      pairs.push({ kit: first, peer: await turn(loader, peer, scenario, seconds) });
    } else {
      const first = await turn(loader, peer, scenario, seconds);
      pairs.push({ peer: first, kit: await turn(loader, kit, scenario, seconds) });
    }
  }
  return pairs;
}

/** Prints the current step. In a terminal, each message overwrites the previous one. */
function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[2K${text}`);
}

async function all(programs: Programs, dataDir: string): Promise<Row[]> {
  await using kitDatabase = await createTestDatabase({ root: example, dataDir });
  await using peerDatabase = await createTestDatabase({ root: example, dataDir });
  const rows: Row[] = [];
  const sides: Side[] = [];
  try {
    const kit = await start("kit-rust", programs.kit, kitDatabase);
    sides.push(kit);
    const peer = await start("axum-sqlx", programs.peer, peerDatabase);
    sides.push(peer);
    const idle = sides.map(({ subject }) => subject.rssMebibytes());
    for (const [index, scenario] of chosen.entries()) {
      if (!process.stderr.isTTY) console.error(`${index + 1} of ${chosen.length}: ${scenario.name}`);
      rows.push(...rowsOf(scenario.name, await measure(programs.loader, [kit, peer], scenario)));
    }
    tell("");
    for (const [index, { subject }] of sides.entries()) {
      const memory = (scenario: string, value: number): Row => ({
        scenario,
        subject: subject.name,
        metric: "rss_mib",
        value: Number(value.toFixed(2)),
        unit: "MiB",
      });
      rows.push(memory("start", idle[index] ?? Number.NaN), memory("all", subject.rssMebibytes()));
    }
  } finally {
    for (const { subject } of sides) subject.stop();
  }
  return rows;
}

function finish(rows: readonly Row[]): void {
  console.log(table(rows));
  console.log(`\nload average before the benchmark: ${otherWork.toFixed(1)}`);
  for (const verdict of verdicts(rows)) {
    console.log(`${verdict.text}: ${verdict.isMet ? "met" : "missed"}`);
  }
  if (!isMet(rows)) process.exitCode = 1;
  if (json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const settings = { connections, seconds, rounds, otherWork: Number(otherWork.toFixed(2)) };
  const result = { bench: "rust-server", machine, versions: versions(), settings, rows };
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
}

const dataDir = mkdtempSync(join(tmpdir(), "kit-bench-rust-server-"));
// If the benchmark runs as root, PostgreSQL runs as another account, which needs access to the directory.
chmodSync(dataDir, 0o755);
try {
  finish(await all(await prepare(stop.signal), dataDir));
} catch (error) {
  if (!stop.signal.aborted) throw error;
  tell("");
  console.error("stopped; no results were written");
  process.exitCode = 130;
} finally {
  // Waits until the server has stopped, shortly after its last user.
  while (existsSync(join(dataDir, "tests/cluster/postmaster.pid"))) await setTimeout(50);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
