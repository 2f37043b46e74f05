/**
 * `cargo xtask bench migrations`: measures how long a migration makes other sessions wait. Four writers and two readers use a table while
 * the table changes: by the migration that kit generates, by plain statements in one transaction, and, as a control, not at all.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";

import { openDatabase } from "@kit/dev-database";
import { Client } from "pg";

import { columns, type Row } from "../figures.ts";
import { type Case, CASES, rows, types } from "./cases.ts";
import { type Measured, start } from "./load.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
    rows: { type: "string" },
    repeat: { type: "string" },
  },
});
const count = Number(options.rows ?? (options.quick ? 50_000 : 500_000));
/** Maximum milliseconds by which a migration may exceed the control run. */
const LIMIT = 100;
/** Milliseconds of the control run, and of the load around a migration. */
const CONTROL = options.quick ? 3_000 : 8_000;
const AROUND = 500;
const KIT = join(import.meta.dirname, "../../packages/cli/bin/kit.js");
const directory = mkdtempSync(join(tmpdir(), "kit-bench-migrations-"));
// If the benchmark runs as root, PostgreSQL runs as another account, which needs access to the directory.
chmodSync(directory, 0o755);

const [otherWork = 0] = loadavg();
await using server = await openDatabase({ root: directory, dataDir: join(directory, "data") });
const admin = new Client({ connectionString: server.url });
await admin.connect();

interface Result {
  readonly name: string;
  readonly control: Measured;
  readonly plain: Measured;
  readonly kit: Measured;
  /** Duration of the migration in milliseconds. */
  readonly took: number;
}

const results: Result[] = [];
try {
  const chosen = CASES.filter(({ name }) => options.only === undefined || name === options.only);
  if (options.repeat !== undefined) await repeat(chosen, Number(options.repeat));
  else await measureAll(chosen);
} finally {
  await admin.end();
  await server.close();
  await setTimeout(3_000);
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function measureAll(cases: readonly Case[]): Promise<void> {
  for (const one of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one measurement at a time
    const result = await measured(one, results.length);
    results.push(result);
    console.error(
      `${result.name}: control ${longest(result.control)}, plain ${longest(result.plain)}, kit ${longest(result.kit)} ms`,
    );
  }
  report();
}

/** Applies kit's migration of each case several times under load, and counts the statements that fail. */
async function repeat(cases: readonly Case[], times: number): Promise<void> {
  const failures: string[] = [];
  let [runs, statements] = [0, 0];
  for (const [number, one] of cases.entries()) {
    // oxlint-disable no-await-in-loop -- one run at a time
    const on = await prepared(one, number);
    for (let time = 0; time < times; time += 1) {
      const [found] = await on((url, root) => kit(root, url, "migrate:apply"));
      runs += 1;
      statements += found.statements;
      failures.push(...found.failures.map((code) => `${one.name}: ${code}`));
    }
    await admin.query(`DROP DATABASE filled_${number} WITH (FORCE)`);
    // oxlint-enable no-await-in-loop
    console.error(`after ${one.name}: ${runs} runs, ${failures.length} failed statements`);
  }
  console.log(`${runs} migrations of ${count} rows, ${statements} statements of other sessions`);
  console.log(failures.length === 0 ? "no statement failed" : failures.join("\n"));
  if (failures.length > 0) process.exitCode = 1;
}

/** Runs kit in the directory of a project. */
async function kit(root: string, url: string, ...args: string[]): Promise<void> {
  const env = { ...process.env, DATABASE_URL: url, MIGRATE_URL: url };
  await promisify(execFile)(process.execPath, [KIT, ...args], { cwd: root, env });
}

type OnCopy = (change: (url: string, root: string) => Promise<void>) => Promise<[Measured, number]>;

/** Fills a database for a case. Returns a function that measures a change of a copy of this database under load. */
async function prepared(one: Case, number: number): Promise<OnCopy> {
  const root = join(directory, `case-${number}`);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("package.json", '{ "name": "measured", "private": true, "type": "module" }\n');
  write("src/items.types.ts", types(one.before));
  const filled = await database(`filled_${number}`);
  await kit(root, filled, "migrate:generate", "--name", "before");
  await kit(root, filled, "migrate:apply");
  await query(filled, rows(count));
  write("src/items.types.ts", types(one.after));
  await kit(root, filled, "migrate:generate", "--name", "after");
  // New rows have a note, so that `NOT NULL` can be added.
  await query(filled, "ALTER TABLE items ALTER COLUMN note SET DEFAULT 'note'");
  return async (change) => {
    const url = await database("measured", `filled_${number}`);
    await query(url, "CHECKPOINT");
    const load = await start(url, count);
    const begun = performance.now();
    await change(url, root);
    const took = performance.now() - begun;
    await setTimeout(AROUND);
    const found = await load.stop();
    await admin.query("DROP DATABASE measured WITH (FORCE)");
    return [found, took];
  };
}

/** Measures a case on three databases, which are copies of a filled database. */
async function measured(one: Case, number: number): Promise<Result> {
  const on = await prepared(one, number);
  const [control] = await on(async () => {
    await setTimeout(CONTROL);
  });
  const [plain] = await on((url) => query(url, one.plain));
  const [done, took] = await on((url, root) => kit(root, url, "migrate:apply"));
  await admin.query(`DROP DATABASE filled_${number} WITH (FORCE)`);
  return { name: one.name, control, plain, kit: done, took };
}

/** Creates a database, and returns its URL. */
async function database(name: string, template?: string): Promise<string> {
  await admin.query(`CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements in one transaction. */
async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function longest(found: Measured): number {
  return Math.round(Math.max(found.longestWrite, found.longestRead));
}

function report(): void {
  const lines = results.map((result) => {
    const beyond = Math.max(0, longest(result.kit) - longest(result.control));
    return [
      result.name,
      String(longest(result.control)),
      String(longest(result.plain)),
      String(longest(result.kit)),
      String(beyond),
      (result.took / 1000).toFixed(1),
      String(result.kit.failures.length),
    ];
  });
  const head = ["change", "control ms", "plain ms", "kit ms", "beyond control", "kit took s", "failed"];
  console.log(
    `longest wait of a writer or reader; ${count} rows, ${cpus().length} processors, load ${otherWork.toFixed(1)} before`,
  );
  console.log(columns([head, ...lines]));
  const failures = results.flatMap(({ kit: { failures: all } }) => all);
  if (failures.length > 0) console.log(`failed statements during kit's migrations: ${failures.join(", ")}`);
  const over = results.filter(({ kit: found, control }) => longest(found) - longest(control) > LIMIT);
  for (const { name } of over) console.log(`${name}: more than ${LIMIT} ms beyond the control run`);
  if (over.length > 0 || failures.length > 0) process.exitCode = 1;
  if (options.json !== undefined) {
    const all = results.flatMap((result) => [
      row(result.name, "control", "longest wait", longest(result.control), "ms"),
      row(result.name, "plain", "longest wait", longest(result.plain), "ms"),
      row(result.name, "kit", "longest wait", longest(result.kit), "ms"),
      row(result.name, "kit", "duration", Math.round(result.took), "ms"),
    ]);
    writeFileSync(options.json, `${JSON.stringify(all, undefined, 2)}\n`);
  }
}

function row(scenario: string, subject: string, metric: string, value: number, unit: string): Row {
  return { scenario, subject, metric, value, unit };
}
