/**
 * `cargo xtask bench database`: measures how long a test waits for its own database, which has the tables of the Teams example. Databases
 * are created one after the other, as by the tests of a file. The first one is not counted, because it starts the server and fills the
 * template.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import { createTestDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { median, percentile, type Row } from "../figures.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 10 : 50;
/** Maximum median in milliseconds that meets the goal. */
const limit = 100;
/** Load average of the machine before the benchmark starts. */
const [otherWork = 0] = loadavg();
const root = join(import.meta.dirname, "../../examples/teams");
const dataDir = mkdtempSync(join(tmpdir(), "kit-bench-database-"));
// If the benchmark runs as root, PostgreSQL runs as another account, which needs access to the directory.
chmodSync(dataDir, 0o755);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

/**
 * Creates a database, sends a first query and closes the database. Returns the milliseconds until the database was created and until the
 * query was answered.
 */
async function round(): Promise<{ readonly created: number; readonly asked: number }> {
  const start = performance.now();
  await using database = await createTestDatabase({ root, dataDir });
  const created = performance.now() - start;
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ users: string }>("SELECT count(*) AS users FROM users");
    const asked = performance.now() - start;
    if (rows[0]?.users !== "0") throw new Error(`a new database is not empty: ${JSON.stringify(rows)}`);
    await client.query("INSERT INTO users (email, display_name) VALUES ('ada@example.com', 'Ada')");
    return { created, asked };
  } finally {
    await client.end();
  }
}

try {
  const first = await round();
  const taken: Awaited<ReturnType<typeof round>>[] = [];
  while (taken.length < rounds && !stop.signal.aborted) taken.push(await round());
  if (stop.signal.aborted) {
    console.error("stopped; no results were written");
    process.exitCode = 130;
  } else {
    finish(first.created, taken);
  }
} finally {
  // Waits until the server has stopped, shortly after its last user.
  while (existsSync(join(dataDir, "tests/cluster/postmaster.pid"))) await setTimeout(50);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

function finish(first: number, taken: Awaited<ReturnType<typeof round>>[]): void {
  const rows: Row[] = [
    ...rowsOf(
      "create",
      taken.map(({ created }) => created),
    ),
    ...rowsOf(
      "create-and-ask",
      taken.map(({ asked }) => asked),
    ),
    row("first", "ms", first),
    row("machine", "load", otherWork, "processes"),
  ];
  console.log(
    `creation of a database for one test, ${rounds} times; load average before: ${otherWork.toFixed(1)}\n`,
  );
  console.log(`${"ms".padEnd(16)}${["median", "p90", "max"].map((head) => head.padStart(9)).join("")}`);
  for (const scenario of ["create", "create-and-ask"]) {
    const figures = rows.filter((one) => one.scenario === scenario);
    console.log(`${scenario.padEnd(16)}${figures.map(({ value }) => value.toFixed(1).padStart(9)).join("")}`);
  }
  console.log(`\nThe first database, with the start of the server and the template: ${first.toFixed(0)} ms.`);
  const reached = rows[0]!.value <= limit;
  console.log(`Goal of a median of at most ${limit} ms: ${reached ? "met" : "missed"}.`);
  if (!reached) process.exitCode = 1;
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const result = { bench: "database", machine, rounds, rows };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}

function rowsOf(scenario: string, samples: readonly number[]): Row[] {
  return [
    row(scenario, "p50_ms", median(samples)),
    row(scenario, "p90_ms", percentile(samples, 0.9)),
    row(scenario, "max_ms", Math.max(...samples)),
  ];
}

function row(scenario: string, metric: string, value: number, unit = "ms"): Row {
  return { scenario, subject: "dev-database", metric, value: Number(value.toFixed(1)), unit };
}
