// Runs Autobahn|Testsuite against a server and prints its results:
//
//     node tests/conformance/autobahn.ts PATH_OF_WSTEST [native | PORT] [CASES…]
//
// `wstest` needs Python 2.7: `pip install autobahntestsuite==0.8.2`. A port means a server that is running already and sends
// every message back. Cases are patterns such as `9.*`; by default all cases run, which takes minutes. Use addons of a release
// build (`cargo build --release -p kit-node-server`). The runtime of Rust servers has such a server as a test, at the port of
// the variable `PORT`:
//
//     KIT_TEST_SERVER=1 PORT=9002 cargo test -p kit-runtime --features sockets --lib echo_server -- --nocapture

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nativeServer } from "@kit/server-native";

import { echoService } from "./socket-echo.ts";

/** Result of one case in the report of the suite. */
interface Result {
  readonly behavior: string;
  readonly behaviorClose: string;
}

const [wstest, target = "native", ...cases] = process.argv.slice(2);
if (wstest === undefined) throw new Error("Pass the path of the program `wstest` of Autobahn|Testsuite");
const server = nativeServer();
const options = { messageBytes: 2 ** 26, compression: true, pingMs: 60_000, protocol: null, headers: null };
const port =
  target === "native"
    ? (await server.listen(echoService(options), { port: 0, host: "127.0.0.1" })).port
    : Number(target);
const directory = mkdtempSync(join(tmpdir(), "kit-autobahn-"));
const spec = join(directory, "spec.json");
const agent = target === "native" ? target : "server";
writeFileSync(
  spec,
  JSON.stringify({
    outdir: directory,
    servers: [{ agent, url: `ws://127.0.0.1:${port}` }],
    cases: cases.length === 0 ? ["*"] : cases,
    "exclude-cases": [],
    "exclude-agent-cases": {},
  }),
);
const suite = spawn(wstest, ["-m", "fuzzingclient", "-s", spec], { stdio: ["ignore", "ignore", "inherit"] });
const [code] = (await once(suite, "exit")) as [number | null];
if (code !== 0) throw new Error(`wstest has ended with ${code}`);
const report = JSON.parse(readFileSync(join(directory, "index.json"), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Result>>>
>;
const counts = new Map<string, number>();
for (const [name, { behavior, behaviorClose }] of Object.entries(report[agent]!)) {
  const shown = behaviorClose === "OK" ? behavior : `${behavior}, end of the connection: ${behaviorClose}`;
  counts.set(shown, (counts.get(shown) ?? 0) + 1);
  if (shown !== "OK") process.stdout.write(`${name}: ${shown}\n`);
}
for (const [shown, count] of counts) process.stdout.write(`${count} × ${shown}\n`);
process.stdout.write(`Report: ${join(directory, "index.html")}\n`);
await server.close({ graceMs: 0 });
