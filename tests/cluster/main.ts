// Rehearses many machines on one: a load balancer, four replicas (two on Node, two in Rust), two workers, PgBouncer,
// PostgreSQL with a standby, Valkey and a receiver of telemetry. Clients send payments with idempotency keys while each part is
// killed and paused, and while a release with a migration is deployed. No payment and no job may be lost or doubled.
//
// `cargo xtask cluster` builds what this program needs, and runs it.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";

import { idempotencyTableSql } from "@kit/idempotency";

import { freePort } from "../../packages/core/test/support/free-port.ts";
import { disturbances, failoverName, type Parts } from "./support/disturbances.ts";
import { Load } from "./support/load.ts";
import type { Part } from "./support/part.ts";
import { createPostgres, promote, query } from "./support/postgres.ts";
import { findPrograms } from "./support/programs.ts";
import {
  createBalancer,
  createBouncer,
  createReceiver,
  createValkey,
  writeBouncerFile,
} from "./support/proxies.ts";
import {
  createNextRelease,
  createRelease,
  migrate,
  nodeReplica,
  rustReplica,
  worker,
} from "./support/replicas.ts";
import { checkDatabase, tableOf } from "./support/verdict.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "60" },
    only: { type: "string", default: "" },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes > 0 && minutes <= 1_440)) throw new Error("--minutes must be more than 0 and at most 1440");
if (!(rate > 0 && rate <= 10_000)) throw new Error("--rate must be more than 0 and at most 10000");

const interrupt = new AbortController();
// A second signal must not end this program before its parts, which have process groups of their own.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());

const started: Part[] = [];
const target = resolve(import.meta.dirname, "../../target/cluster");
mkdirSync(target, { recursive: true });
/** Releases, in the repository, so that they find its packages. */
const releases = mkdtempSync(join(target, "run-"));
/** Data and logs, in a directory that the account of PostgreSQL can enter. */
const directory = mkdtempSync(join(tmpdir(), "kit-cluster-"));
chmodSync(directory, 0o777);

let code = 1;
try {
  code = await rehearse();
} catch (error) {
  if (!interrupt.signal.aborted) console.error(`error: ${(error as Error).message}`);
} finally {
  for (const part of started) part.resume();
  // The reverse order: replicas end before their database.
  for (const part of started.toReversed()) {
    // oxlint-disable-next-line no-await-in-loop -- one part after the other
    await part.kill();
  }
  rmSync(releases, { recursive: true, force: true });
  if (code === 0 || interrupt.signal.aborted) rmSync(directory, { recursive: true, force: true });
  else console.error(`The logs are in ${directory}`);
}
process.exit(interrupt.signal.aborted ? 130 : code);

async function rehearse(): Promise<number> {
  const programs = findPrograms();
  const ports: number[] = [];
  while (ports.length < 10) {
    // oxlint-disable-next-line no-await-in-loop -- each port must differ from the others
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const [database, standbyPort, bouncerPort, valkeyPort, receiverPort, balancerPort, ...replicaPorts] =
    ports as [number, number, number, number, number, number, ...number[]];
  const addresses = { bouncerPort, valkeyPort, receiverPort };
  console.log("building the first release");
  const first = await createRelease(releases);
  const postgres = createPostgres(directory, [database, standbyPort]);
  const names = ["node-1", "node-2", "rust-1", "rust-2"];
  const portOf = new Map(names.map((name, index) => [name, replicaPorts[index]!]));
  const parts: Parts = {
    ...postgres,
    bouncer: createBouncer(directory, programs, bouncerPort, database),
    valkey: createValkey(directory, programs, valkeyPort),
    receiver: createReceiver(directory, receiverPort),
    nodes: ["node-1", "node-2"].map((name) =>
      nodeReplica(directory, name, portOf.get(name)!, first, addresses),
    ),
    rusts: ["rust-1", "rust-2"].map((name) => rustReplica(directory, name, portOf.get(name)!, addresses)),
    workers: ["worker-1", "worker-2"].map((name) => worker(directory, name, first, addresses)),
    balancer: createBalancer(directory, programs, balancerPort, portOf),
  };
  const { primary, standby, bouncer, valkey, receiver, nodes, rusts, workers, balancer } = parts;
  const start = async (part: Part): Promise<void> => {
    interrupt.signal.throwIfAborted();
    started.push(part);
    await part.start();
  };
  for (const part of [primary, standby, bouncer, valkey, receiver]) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of their dependencies
    await start(part);
  }
  await query(postgres.primaryUrl, idempotencyTableSql());
  await migrate(first, postgres.primaryUrl);
  for (const part of [...nodes, ...rusts, ...workers, balancer]) {
    // oxlint-disable-next-line no-await-in-loop -- the first worker creates the tables of jobs
    await start(part);
  }

  const deploy = async (): Promise<void> => {
    const next = await createNextRelease(releases, first);
    await migrate(next, postgres.primaryUrl);
    for (const part of [...nodes, ...rusts, ...workers]) {
      if (interrupt.signal.aborted) return;
      // oxlint-disable-next-line no-await-in-loop -- a rolling deployment
      await part.stop();
      if (!rusts.includes(part)) part.program = { ...part.program, cwd: next.directory };
      // oxlint-disable-next-line no-await-in-loop -- a rolling deployment
      await part.start();
    }
  };
  const failover = async (): Promise<void> => {
    await primary.kill();
    await promote(postgres.standbyUrl);
    writeBouncerFile(directory, bouncerPort, standbyPort);
    bouncer.reload();
  };
  const phases = disturbances(parts, deploy, failover).filter(({ name }) => name.includes(values.only));
  if (phases.length === 0) throw new Error(`No disturbance has "${values.only}" in its name`);
  const phaseMs = (minutes * 60_000) / phases.length;
  console.log(
    `${phases.length} phases of ${(phaseMs / 1000).toFixed(1)} s, ${rate} requests per second, ${started.length} processes`,
  );
  const load = new Load(balancerPort, rate);
  for (const phase of phases) {
    if (interrupt.signal.aborted) break;
    load.phase = phase.name;
    const end = performance.now() + phaseMs;
    // oxlint-disable-next-line no-await-in-loop -- one disturbance after the other
    await phase.act();
    const rest = end - performance.now();
    // oxlint-disable-next-line no-await-in-loop -- one disturbance after the other
    if (rest > 0) await sleep(rest, undefined, { signal: interrupt.signal }).catch(() => undefined);
    // oxlint-disable-next-line no-await-in-loop -- one disturbance after the other
    if (!interrupt.signal.aborted) await load.calm();
    console.log(`${phase.name}: done, ${load.outcomes.length} payments until now`);
  }
  if (interrupt.signal.aborted) return 130;
  await load.end();
  const { table, problems } = tableOf(load, phases);
  console.log(`\n${table}\n`);
  const { primaryUrl, standbyUrl } = postgres;
  const hasFailedOver = phases.some(({ name }) => name === failoverName);
  problems.push(
    ...(hasFailedOver
      ? await checkDatabase(load, standbyUrl, undefined)
      : await checkDatabase(load, primaryUrl, standbyUrl)),
  );
  const received = Number(await (await fetch(`http://127.0.0.1:${receiverPort}/`)).text());
  if (received === 0) problems.push("the receiver got no telemetry");
  for (const text of new Set([...load.unexpected, ...load.different])) console.error(`unexpected: ${text}`);
  for (const problem of problems) console.error(`broken: ${problem}`);
  console.log(problems.length === 0 ? "all bounds hold" : `${problems.length} bounds are broken`);
  return problems.length === 0 ? 0 : 1;
}
