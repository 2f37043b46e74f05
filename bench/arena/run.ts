/**
 * `cargo xtask bench arena`: measures the profiles of the public benchmark HttpArena for kit and three peers on this machine, in turn.
 * README.md explains the results.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { Row } from "../figures.ts";
import { run } from "../http/command.ts";
import { cratesOf } from "../http/prepare.ts";
import { rowsOf, type Sample, table } from "../http/report.ts";
import { select } from "../http/select.ts";
import { Subject } from "../http/subject.ts";
import { Authority } from "../../packages/server-node/test/certificates.ts";
import { requireH2load } from "../h2load.ts";
import { buildWithCargo } from "../messages-in-rounds.ts";
import { installPeers, peerVersions } from "../peers.ts";
import { openItems, writeData } from "./data.ts";
import { exchange, exchangeHttp2 } from "./exchange.ts";
import { type Load, loadHttp2, loadRequests, loadSocket } from "./load.ts";
import { left, type Profile, profiles } from "./profiles.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    subjects: { type: "string" },
    scenarios: { type: "string" },
  },
});
const directory: string = import.meta.dirname;
const repository = join(directory, "../..");
const peers = join(directory, "peers");
const rounds = values.quick ? 2 : 5;
const seconds = values.quick ? 1 : 2;

/** Profile `echo-ws`. Its message is the text `hello`, as in HttpArena. */
const socketProfile = { name: "echo-ws" } as const;
const chosen = select("--scenarios", values.scenarios, [...profiles, socketProfile]);
const protocols = new Set(chosen.map((profile) => ("measured" in profile ? profile.protocol : "http")));
const isSecure = protocols.has("https") || protocols.has("h2");
if (protocols.has("h2")) requireH2load();

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

console.error("building kit's entry, the load generator and the peers");
await run(
  process.execPath,
  [join(repository, "node_modules/@kit/cli/bin/kit.js"), "build"],
  join(directory, "entry"),
  stop.signal,
);
const socketLoader = chosen.includes(socketProfile)
  ? await buildWithCargo(["-p", "kit-http", "--example", "socket_load"], repository, "socket_load")
  : "";
installPeers(peers);
const axum = join(directory, "subjects/axum");
/** Programs of the subjects with their arguments. kit is the first. */
const programs = [
  { name: "kit", file: process.execPath, arguments: [join(directory, "entry/src/main.ts")] },
  { name: "fastify", file: process.execPath, arguments: [join(peers, "fastify.js")] },
  { name: "elysia", file: join(peers, "node_modules/.bin/bun"), arguments: [join(peers, "elysia.js")] },
  { name: "axum", file: "", arguments: [] },
];
const plans = select("--subjects", values.subjects, programs);
const axumPlan = plans.find(({ name }) => name === "axum");
if (axumPlan !== undefined) axumPlan.file = await buildWithCargo([], axum, "bench-arena-axum");

const temporary = mkdtempSync(join(tmpdir(), "kit-bench-arena-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
const data = join(temporary, "data");
writeData(data);

using authority = new Authority();
const identity = authority.sign();
const certificate = {
  ARENA_TLS_CERT: join(temporary, "cert.pem"),
  ARENA_TLS_KEY: join(temporary, "key.pem"),
};
writeFileSync(certificate.ARENA_TLS_CERT, identity.cert);
writeFileSync(certificate.ARENA_TLS_KEY, identity.key);

const rows: Row[] = [];
/** Profiles that a subject cannot run, with the reason. */
const omissions: { readonly subject: string; readonly scenario: string; readonly reason: string }[] = [];
const subjects: Subject[] = [];
/** Processes of the subjects that speak TLS only. */
const secure = new Map<Subject, Subject>();
/** Subjects without HTTP/2, with the reason. */
const withoutHttp2: Readonly<Record<string, string>> = { elysia: "Bun.serve has no HTTP/2" };
await using database = await openItems();
try {
  const environment = {
    ARENA_DATA: data,
    ARENA_PIPE: "1",
    ARENA_STATIC: join(data, "static"),
    ARENA_DATASET: join(data, "dataset.json"),
    ARENA_WORKERS: "1",
    DATABASE_MAX_CONN: "24",
    DATABASE_URL: database.url,
    HOST: "127.0.0.1",
  };
  for (const { name, ...plan } of plans) {
    const start = { ...plan, cwd: join(directory, "entry"), environment };
    const subject = await Subject.start(name, start);
    subjects.push(subject);
    if (!isSecure) continue;
    const withTls = { ...start, environment: { ...environment, ...certificate } };
    secure.set(subject, await Subject.start(`${name} with TLS`, withTls));
  }
  for (const profile of chosen) await measure(profile);
  for (const subject of subjects.filter(({ isRunning }) => isRunning)) {
    const value = Number(subject.rssMebibytes().toFixed(1));
    rows.push({ scenario: "all", subject: subject.name, metric: "rss_mib", value, unit: "MiB" });
  }
  finish();
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; no results were written");
  process.exitCode = 130;
} finally {
  for (const subject of [...subjects, ...secure.values()]) subject.stop();
}

/** Checks all responses of a profile. Throws an error for the first wrong response. */
async function check(subject: Subject, { name, measured, checked, protocol }: Profile): Promise<void> {
  const { certificate: trusted } = authority;
  for (const { request, check: mistakeOf } of [...measured, ...checked]) {
    const response =
      protocol === "h2"
        ? await exchangeHttp2(subject.port, request, trusted)
        : await exchange(subject.port, request, protocol === "https" ? trusted : undefined);
    const mistake = mistakeOf(response);
    if (mistake !== undefined) {
      const line = request.toString("latin1", 0, request.indexOf("\r\n"));
      throw new Error(`wrong response to ${line} of ${name}: ${mistake}`);
    }
  }
}

/** Measures a profile for all subjects. A subject that responds wrongly is left out, and the results of the others stay. */
async function measure(profile: Profile | typeof socketProfile): Promise<void> {
  console.error(`${chosen.indexOf(profile) + 1} of ${chosen.length}: ${profile.name}`);
  const protocol = "measured" in profile ? profile.protocol : "http";
  const samples = new Map<Subject, Sample[]>();
  for (const subject of subjects) {
    const reason = protocol === "h2" ? withoutHttp2[subject.name] : undefined;
    if (reason === undefined) samples.set(subject, []);
    else omissions.push({ subject: subject.name, scenario: profile.name, reason });
  }
  /** Returns the process of a subject that has the protocol of the profile. */
  const serverOf = (subject: Subject): Subject => (protocol === "http" ? subject : secure.get(subject)!);
  const attempt = async (subject: Subject, work: () => Promise<void>): Promise<void> => {
    stop.signal.throwIfAborted();
    try {
      await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      omissions.push({ subject: subject.name, scenario: profile.name, reason });
      samples.delete(subject);
      process.exitCode = 1;
    }
  };
  let load: (subject: Subject, time: number) => Promise<Load>;
  if ("measured" in profile) {
    const requests = join(temporary, "requests");
    writeFileSync(
      requests,
      Buffer.concat(
        profile.measured.flatMap(({ request }) => [
          Buffer.from(`${request.length}\n`),
          request,
          Buffer.from("\n"),
        ]),
      ),
    );
    for (const subject of samples.keys()) await attempt(subject, () => check(serverOf(subject), profile));
    load = (subject, time) =>
      protocol === "h2"
        ? loadHttp2(subject.port, profile, time, temporary)
        : loadRequests(subject.port, requests, profile, time);
  } else {
    load = (subject, time) => loadSocket(socketLoader, subject.port, 64, time);
  }
  for (let round = 0; round <= rounds; round += 1) {
    // Each round begins with another subject, so that no subject always runs after the same one.
    const measured = [...samples.keys()];
    const order = measured.map((_, index) => measured[(index + round) % measured.length]!);
    for (const subject of order) {
      await attempt(subject, async () => {
        const server = serverOf(subject);
        const before = server.cpuMicroseconds();
        const {
          count,
          seconds: taken,
          p50_ms: p50,
          p99_ms: p99,
        } = await load(server, round === 0 ? seconds / 2 : seconds);
        const used = server.cpuMicroseconds() - before;
        if (round === 0) return;
        samples
          .get(subject)
          ?.push({ cpu: used / count, rps: count / taken, p50, p99, busy: used / 1e6 / taken });
      });
    }
  }
  for (const [subject, taken] of samples) rows.push(...rowsOf(profile.name, subject.name, taken));
}

function finish(): void {
  console.log(table(rows));
  for (const { subject, scenario, reason } of omissions) {
    console.log(`\nnot measured: ${subject} in ${scenario}: ${reason}`);
  }
  if (values.scenarios === undefined) {
    for (const [scenario, reason] of Object.entries(left))
      console.log(`not measured: ${scenario}: ${reason}`);
  }
  if (values.json === undefined) return;
  const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
  const versions = {
    ...peerVersions(peers),
    ...cratesOf(axum, ["axum", "hyper", "tokio", "tower-http", "sqlx"]),
  };
  const result = {
    bench: "arena",
    machine,
    versions,
    settings: { seconds, rounds },
    skipped: omissions,
    rows,
  };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
