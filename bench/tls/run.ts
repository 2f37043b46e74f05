/**
 * `cargo xtask bench tls`: measures what a request and a connection cost over TLS, with HTTP/1.1 and HTTP/2, for kit and two peers. README.md
 * explains the results.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { get as getOverTls } from "node:https";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { knownId } from "../http/app/src/store.ts";
import { run } from "../http/command.ts";
import { cratesOf, executableOf } from "../http/prepare.ts";
import { Subject } from "../http/subject.ts";
import { columns, median, type Row } from "../figures.ts";
import { requireH2load, runH2load } from "../h2load.ts";
import { Authority } from "../../packages/server-node/test/certificates.ts";

/** Requests that h2load sends on a number of connections. */
interface Load {
  readonly name: string;
  readonly path: string;
  /** Arguments of h2load. The client of HTTP/2 sends several requests on a connection at the same time, if `-m` says so. */
  readonly options: readonly string[];
  readonly isSecure: boolean;
  /** True if client and server must agree on HTTP/2. */
  readonly isHttp2?: boolean;
  /** Number of connections with one request each. Absent if the connections stay open for the whole turn. */
  readonly handshakes?: number;
}

const note = `/notes/${knownId}`;
const auth = "authorization: Bearer ada:user";
const http1 = ["--h1", "-c", "64", "-m", "1"];
const loads: readonly Load[] = [
  { name: "get-param", path: note, options: http1, isSecure: false },
  { name: "tls get-param", path: note, options: http1, isSecure: true },
  { name: "h2 get-param", path: note, options: ["-c", "64", "-m", "1"], isSecure: true, isHttp2: true },
  { name: "h2 get-param x8", path: note, options: ["-c", "8", "-m", "8"], isSecure: true, isHttp2: true },
  { name: "tls post-validate", path: "/notes", options: [...http1, "-d"], isSecure: true },
  {
    name: "h2 post-validate",
    path: "/notes",
    options: ["-c", "64", "-m", "1", "-d"],
    isSecure: true,
    isHttp2: true,
  },
  { name: "tls handshake", path: note, options: ["--h1"], isSecure: true, handshakes: 900 },
  { name: "h2 handshake", path: note, options: [], isSecure: true, isHttp2: true, handshakes: 900 },
];

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const rounds = values.quick ? 2 : 5;
const seconds = values.quick ? 1 : 2;

requireH2load();

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
}

const directory = join(import.meta.dirname, "../http");
const repository = join(directory, "../..");
console.error("building kit's application and axum's");
const cli = join(repository, "node_modules/@kit/cli/bin/kit.js");
await run(process.execPath, [cli, "build"], join(directory, "app"), stop.signal);
const axumDirectory = join(directory, "subjects/axum");
const options = ["--features", "tls", "--bins", "--message-format", "json"];
const built = await run("cargo", ["build", "--release", "--locked", ...options], axumDirectory, stop.signal, {
  ...process.env,
  CARGO_TARGET_DIR: join(repository, "target/bench-peers"),
});

const temporary = mkdtempSync(join(tmpdir(), "kit-bench-tls-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
const body = join(temporary, "note.json");
writeFileSync(
  body,
  JSON.stringify({
    title: "Groceries for the weekend",
    content: "Milk, eggs, flour, and something for Sunday",
    archived: false,
    extra: 1,
  }),
);
using authority = new Authority();
const identity = authority.sign();
const files = { BENCH_TLS_CERT: join(temporary, "cert.pem"), BENCH_TLS_KEY: join(temporary, "key.pem") };
writeFileSync(files.BENCH_TLS_CERT, identity.cert);
writeFileSync(files.BENCH_TLS_KEY, identity.key);

/** Programs of a server: with TLS, and without. */
const programs: Readonly<Record<string, readonly [secure: readonly string[], plain: readonly string[]]>> = {
  "kit-native": same([process.execPath, "app/src/main.ts", "native"]),
  node: same([process.execPath, "subjects/node-http.ts"]),
  axum: [[executableOf(built, "bench-tls-axum")], [executableOf(built, "bench-http-axum")]],
};

function same<T>(value: T): [T, T] {
  return [value, value];
}

interface Running {
  readonly name: string;
  readonly secure: Subject;
  readonly plain: Subject;
}

/** Measurements of one turn of a server. */
interface Turn {
  /** CPU time of the server per request in microseconds. */
  readonly cpu: number;
  readonly rate: number;
  /** Mean time of a request in milliseconds. h2load prints no percentiles. */
  readonly mean: number;
}

const running: Running[] = [];
const rows: Row[] = [];
try {
  for (const [name, [secure, plain]] of Object.entries(programs)) {
    const [file, ...parameters] = secure;
    const [plainFile, ...plainParameters] = plain;
    const start = { file: file!, arguments: parameters, cwd: directory };
    running.push({
      name,
      secure: await Subject.start(`${name} with TLS`, { ...start, environment: files }),
      plain: await Subject.start(name, { ...start, file: plainFile!, arguments: plainParameters }),
    });
  }
  for (const subject of running) await check(subject);
  for (const load of loads) await measure(load);
  console.log(table());
  if (values.json !== undefined) {
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, node: process.version };
    const versions = cratesOf(axumDirectory, ["axum", "axum-server", "h2", "hyper", "rustls"]);
    const result = { bench: "tls", machine, versions, settings: { seconds, rounds }, rows };
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("stopped; no results were written");
  process.exitCode = 130;
} finally {
  for (const { secure, plain } of running) {
    secure.stop();
    plain.stop();
  }
}

/** Checks that both servers respond with the note. Rejects if one does not. */
async function check({ name, secure, plain }: Running): Promise<void> {
  const headers = { authorization: "Bearer ada:user" };
  const shared = { host: "127.0.0.1", path: note, headers };
  // Each request is sent after the response to the one before: nobody would listen to a response that arrives earlier.
  const requests = [
    () => get({ ...shared, port: plain.port }),
    () => getOverTls({ ...shared, port: secure.port, ca: authority.certificate }),
  ];
  for (const send of requests) {
    const [response] = (await once(send(), "response")) as [IncomingMessage];
    const text = (await response.setEncoding("utf8").toArray()).join("");
    const found = JSON.parse(text) as { id?: unknown; title?: unknown };
    if (response.statusCode !== 200 || found.id !== knownId || found.title !== "Groceries")
      throw new Error(`${name} gave a wrong response: ${response.statusCode} ${text}`);
  }
}

/** Measures a load for all servers in turn. */
async function measure(load: Load): Promise<void> {
  const samples = new Map(running.map(({ name }) => [name, [] as Turn[]]));
  for (let round = 0; round <= rounds; round += 1) {
    console.error(`${load.name}: round ${round} of ${rounds}`);
    // Each round begins with another server, so that no server always runs after the same one.
    for (const [index] of running.entries()) {
      stop.signal.throwIfAborted();
      const { name, secure, plain } = running[(index + round) % running.length]!;
      const sample = await takeTurn(load.isSecure ? secure : plain, load);
      if (round > 0) samples.get(name)!.push(sample);
    }
  }
  for (const [subject, taken] of samples) {
    const row = (metric: string, unit: string, key: keyof Turn, digits: number): Row => ({
      scenario: load.name,
      subject,
      metric,
      value: Number(median(taken.map((turn) => turn[key])).toFixed(digits)),
      unit,
    });
    rows.push(
      row("cpu_us_per_req", "us", "cpu", 2),
      row("rps", "1/s", "rate", 0),
      row("mean_ms", "ms", "mean", 3),
    );
  }
}

/** Formats the results. The CPU time of each server is also shown as a multiple of kit's. */
function table(): string {
  const lines = [["load", "server", "CPU µs/req", "x", "requests/s", "mean ms"]];
  for (const { name: scenario } of loads) {
    const figure = (subject: string, metric: string): number =>
      rows.find((row) => row.scenario === scenario && row.subject === subject && row.metric === metric)!
        .value;
    for (const { name } of running) {
      const cpu = figure(name, "cpu_us_per_req");
      const ratio = cpu / figure(running[0]!.name, "cpu_us_per_req");
      const others = [figure(name, "rps").toFixed(0), figure(name, "mean_ms").toFixed(2)];
      lines.push([scenario, name, cpu.toFixed(2), ratio.toFixed(2), ...others]);
    }
  }
  return columns(lines, 2);
}

async function takeTurn(subject: Subject, load: Load): Promise<Turn> {
  const address = `${load.isSecure ? "https" : "http"}://127.0.0.1:${subject.port}${load.path}`;
  const parameters = load.options.flatMap((option) =>
    option === "-d" ? ["-d", body, "-H", "content-type: application/json"] : [option],
  );
  const length =
    load.handshakes === undefined
      ? ["-D", `${seconds}`]
      : ["-n", `${load.handshakes}`, "-c", `${load.handshakes}`];
  const before = subject.cpuMicroseconds();
  try {
    const result = await runH2load([...length, ...parameters, "-H", auth, address], load.isHttp2 === true);
    const used = subject.cpuMicroseconds() - before;
    return { cpu: used / result.requests, rate: result.requests / result.seconds, mean: result.mean };
  } catch (error) {
    throw new Error(`${subject.name}, ${load.name}: ${(error as Error).message}`, { cause: error });
  }
}
