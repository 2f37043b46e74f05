/**
 * `cargo xtask bench http`: compares kit's servers with peers that do the same work, on this machine, in turn, in one run. Only the ratios
 * matter. README.md explains the results.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";

import { catalog, type SubjectPlan } from "./catalog.ts";
import { type FilledDatabase, openNotes } from "./database.ts";
import { load } from "./load.ts";
import { peerVersions } from "../peers.ts";
import { crateVersions, peers, prepare, type Prepared } from "./prepare.ts";
import type { Row } from "../figures.ts";
import { rowsOf, type Sample, table } from "./report.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { Redis, redisProgram } from "../../packages/core/test/support/redis.ts";
import { publicKeyPem } from "./tokens.ts";
import { positive, select } from "./select.ts";
import { Subject } from "./subject.ts";

interface Plan {
  readonly plans: readonly SubjectPlan[];
  readonly chosen: readonly Scenario[];
  readonly seconds: number;
  readonly connections: number;
  readonly rounds: number;
  /** Duration in seconds of the first turn of each subject. This turn is a warm-up, and its results are discarded. */
  readonly warmUp: number;
  readonly json: string | undefined;
}

const { plans, chosen, seconds, connections, rounds, warmUp, json } = planned();

function planned(): Plan {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        subjects: { type: "string" },
        scenarios: { type: "string" },
        seconds: { type: "string" },
        connections: { type: "string", default: "64" },
      },
    });
    const { quick } = values;
    const quickly = <T extends { readonly isQuick?: boolean }>(all: readonly T[]): readonly T[] =>
      quick ? all.filter(({ isQuick }) => isQuick === true) : all;
    return {
      plans: select("--subjects", values.subjects, catalog, quickly(catalog)),
      chosen: select("--scenarios", values.scenarios, scenarios, quickly(scenarios)),
      seconds: positive("--seconds", values.seconds ?? (quick ? "0.8" : "2")),
      connections: positive("--connections", values.connections),
      rounds: quick ? 3 : 5,
      warmUp: quick ? 0.4 : 1,
      json: values.json,
    };
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

/** Subject that was not measured, and the reason. */
interface Omission {
  readonly subject: string;
  readonly scenario?: string;
  readonly reason: string;
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

const rows: Row[] = [];
const omissions: Omission[] = [];
const subjects: Subject[] = [];
let hasFailed = false;

/** Opens the database. Returns `undefined` if it cannot run on this machine, because most scenarios do not need it. */
async function openDatabase(): Promise<FilledDatabase | undefined> {
  try {
    return await openNotes();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    for (const { name } of plans) omissions.push({ subject: name, scenario: "db-read", reason });
    return undefined;
  }
}

/** Starts the server of the scenario `limit-valkey`. Returns `undefined` if it is not installed. */
async function openValkey(): Promise<Redis | undefined> {
  if (redisProgram !== undefined) return Redis.start();
  const reason = "valkey-server and redis-server are not installed";
  for (const { name } of plans) omissions.push({ subject: name, scenario: "limit-valkey", reason });
  return undefined;
}

/**
 * Starts all subjects, or those that have a program for the feature of a scenario. Returns them. Subjects that cannot run
 * are omitted.
 */
async function startAll(
  prepared: Prepared,
  environment: Readonly<Record<string, string>>,
  scenario: Scenario,
): Promise<Subject[]> {
  const { feature, identity } = scenario;
  const chosenFeature = featureOf(scenario);
  const started: Subject[] = [];
  for (const plan of plans) {
    stop.signal.throwIfAborted();
    const parameters =
      feature !== undefined ? plan.edge : identity !== undefined ? plan.identity : plan.arguments;
    // There is no crate for axum that counts in Valkey.
    if (parameters === undefined || (identity === "limit-valkey" && plan.program === "axum")) continue;
    const need = plan.needs.find((name) => prepared.missing.has(name));
    if (need !== undefined) {
      if (!omissions.some(({ subject }) => subject === plan.name))
        omissions.push({ subject: plan.name, reason: prepared.missing.get(need) ?? "" });
      continue;
    }
    const start = {
      file: prepared.programs[plan.program],
      arguments: parameters,
      cwd: import.meta.dirname,
      environment: { ...environment, ...(chosenFeature && { BENCH_FEATURE: chosenFeature }) },
    };
    const subject = await Subject.start(plan.name, start);
    subjects.push(subject);
    started.push(subject);
  }
  return started;
}

async function takeTurn(
  loader: string,
  subject: Subject,
  scenario: Pick<Scenario, "request" | "status">,
  time: number,
): Promise<Sample> {
  const before = subject.cpuMicroseconds();
  const {
    requests,
    seconds: taken,
    p50_ms: p50,
    p99_ms: p99,
  } = await load(loader, subject.port, scenario, connections, time);
  const used = subject.cpuMicroseconds() - before;
  return { cpu: used / requests, rps: requests / taken, p50, p99, busy: used / 1e6 / taken };
}

/**
 * Measures a scenario for all subjects. A subject that responds wrongly or exits is left out from then on. The results of the others stay.
 */
async function measure(loader: string, scenario: Scenario, running: readonly Subject[]): Promise<void> {
  const samples = new Map<Subject, Sample[]>();
  const requests = new Map<Subject, string>();
  const omit = (subject: Subject, error: unknown): void => {
    stop.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    omissions.push({ subject: subject.name, scenario: scenario.name, reason });
    samples.delete(subject);
    hasFailed = true;
  };
  for (const subject of running) {
    try {
      if (!subject.isRunning) throw new Error("its process has exited");
      requests.set(subject, await subject.check(scenario));
      samples.set(subject, []);
    } catch (error) {
      omit(subject, error);
    }
  }
  for (let round = 0; round <= rounds; round += 1) {
    // Each round begins with another subject, so that no subject always runs after the same one.
    const measured = [...samples.keys()];
    const order = measured.map((_, index) => measured[(index + round) % measured.length]!);
    for (const subject of order) {
      stop.signal.throwIfAborted();
      tell(`${scenario.name}: round ${round} of ${rounds}, ${subject.name}`);
      try {
        const request = { request: requests.get(subject)!, status: scenario.status };
        const sample = await takeTurn(loader, subject, request, round === 0 ? warmUp : seconds);
        if (round > 0) samples.get(subject)?.push(sample);
      } catch (error) {
        omit(subject, error);
      }
    }
  }
  for (const [subject, taken] of samples) rows.push(...rowsOf(scenario.name, subject.name, taken));
}

/** Returns the feature for which the subjects of a scenario have processes of their own. */
function featureOf({ feature, identity }: Scenario): string | undefined {
  return feature ?? identity;
}

/** Prints the current step. In a terminal, each message overwrites the previous one. */
function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[2K${text}`);
}

try {
  const prepared = await prepare(plans, stop.signal);
  await using notes = chosen.some(({ isStored }) => isStored) ? await openDatabase() : undefined;
  const valkey = chosen.some(({ identity }) => identity === "limit-valkey") ? await openValkey() : undefined;
  const possible = chosen.filter(
    ({ isStored, identity }) =>
      (isStored !== true || notes !== undefined) && (identity !== "limit-valkey" || valkey !== undefined),
  );
  try {
    const environment: Record<string, string> = {
      BENCH_JWT_KEY: publicKeyPem,
      ...(notes && { DATABASE_URL: notes.url }),
      ...(valkey && { BENCH_VALKEY_URL: `redis://127.0.0.1:${valkey.port}` }),
    };
    for (const feature of new Set(possible.map(featureOf))) {
      const sameFeature = possible.filter((scenario) => featureOf(scenario) === feature);
      const running = await startAll(prepared, environment, sameFeature[0]!);
      for (const scenario of sameFeature) {
        if (!process.stderr.isTTY)
          console.error(`${possible.indexOf(scenario) + 1} of ${possible.length}: ${scenario.name}`);
        await measure(prepared.loader, scenario, running);
      }
      tell("");
      for (const subject of running.filter(({ isRunning }) => isRunning)) {
        const value = Number(subject.rssMebibytes().toFixed(1));
        const scenario = feature ?? "all";
        rows.push({ scenario, subject: subject.name, metric: "rss_mib", value, unit: "MiB" });
        subject.stop();
      }
    }
  } finally {
    for (const subject of subjects) subject.stop();
    await valkey?.stop();
  }
  finish();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  tell("");
  console.error("stopped; no results were written");
  process.exitCode = 130;
}

function finish(): void {
  console.log(table(rows));
  for (const { subject, scenario, reason } of omissions) {
    console.log(`\nnot measured: ${subject}${scenario === undefined ? "" : ` in ${scenario}`}: ${reason}`);
  }
  if (hasFailed) process.exitCode = 1;
  if (json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const versions = { ...peerVersions(peers), ...crateVersions() };
  const settings = { connections, seconds, rounds };
  const result = { bench: "http", machine, versions, settings, skipped: omissions, rows };
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
}
