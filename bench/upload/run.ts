// CPU time and memory of an upload that a handler reads while it arrives: `cargo xtask bench upload`. Its README explains it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { run } from "../http/command.ts";
import { executableOf } from "../http/prepare.ts";
import { installPeers } from "../peers.ts";

const mebibyte = 1024 * 1024;
const { quick, json } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "string" } },
}).values;
const [mib, rounds] = quick === true ? [64, 3] : [256, 7];
const size = mib * mebibyte;
/** Boundary as long as those of browsers, because the length decides how fast a parser can search. */
const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
const directory: string = import.meta.dirname;
const peers = join(directory, "peers");

interface Used {
  readonly cpuMs: number;
  readonly peakMiB: number;
}

/** Builds or installs the subjects. Returns the command of each. */
async function prepare(): Promise<
  Readonly<Record<string, readonly [file: string, ...parameters: string[]]>>
> {
  installPeers(peers);
  const text = await run(
    "cargo",
    ["build", "--release", "--locked", "--message-format", "json"],
    join(directory, "subjects/axum"),
    new AbortController().signal,
    { ...process.env, CARGO_TARGET_DIR: join(directory, "../../target/bench-peers") },
  );
  const bun = join(peers, "node_modules/.bin/bun");
  const own = (name: string): readonly [string, ...string[]] => [
    process.execPath,
    join(directory, "server.ts"),
    name,
  ];
  return {
    "kit-native": own("kit-native"),
    "kit-fallback": own("kit-fallback"),
    "node-http": own("node-http"),
    fastify: own("fastify"),
    ...(existsSync(bun) && { bun: [bun, join(peers, "bun.js")] }),
    axum: [executableOf(text, "bench-upload-axum")],
  };
}

async function start(
  subject: string,
  [file, ...parameters]: readonly [string, ...string[]],
): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(file, parameters, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${subject} does not start`)));
  const [text] = (await Promise.race([once(child.stdout!, "data"), ended])) as [Buffer];
  ended.catch(() => undefined);
  return { child, port: Number(text.toString()) };
}

/** Sends a file of random bytes, which have few starts of a boundary, as a client on the same machine. */
async function send(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => (text += data.toString("latin1")));
  const closed = once(socket, "close");
  const begin = `--${boundary}\r\ncontent-disposition: form-data; name="avatar"; filename="a"\r\n\r\n`;
  const end = `\r\n--${boundary}--\r\n`;
  socket.write(
    `POST /avatars HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: multipart/form-data; boundary=${boundary}\r\ncontent-length: ${begin.length + size + end.length}\r\n\r\n${begin}`,
  );
  const part = crypto.getRandomValues(new Uint8Array(65_536));
  for (let sent = 0; sent < size; sent += part.length) {
    if (!socket.write(part.subarray(0, size - sent))) await once(socket, "drain");
  }
  socket.write(end);
  await closed;
  if (!new RegExp(`^HTTP/1\\.1 204 .*x-bytes: ${size}\r\n`, "is").test(text))
    throw new Error(`another response: ${text.slice(0, 500)}`);
}

async function used(port: number): Promise<Used> {
  return (await (await fetch(`http://127.0.0.1:${port}/table`)).json()) as Used;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const commands = await prepare();
const subjects = Object.keys(commands);
const servers = new Map<string, Awaited<ReturnType<typeof start>>>();
for (const [subject, command] of Object.entries(commands))
  servers.set(subject, await start(subject, command));
const times = new Map<string, number[]>(subjects.map((subject) => [subject, []]));
try {
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [subject, { port }] of servers) {
      const before = await used(port);
      await send(port);
      const { cpuMs } = await used(port);
      if (round > 0) times.get(subject)!.push((cpuMs - before.cpuMs) / mib);
    }
  }
  const base = median(times.get("kit-native")!);
  const rows: object[] = [];
  console.log(`${mib} MiB, medians of ${rounds} rounds`);
  for (const [subject, { port }] of servers) {
    const cpuMs = median(times.get(subject)!);
    const { peakMiB } = await used(port);
    rows.push({ subject, cpu_us_per_mib: cpuMs * 1000, peak_mib: peakMiB });
    const figures = [
      `${(cpuMs * 1000).toFixed(0).padStart(6)} us CPU for each MiB`,
      (cpuMs / base).toFixed(2).padStart(5),
      `${peakMiB.toFixed(0).padStart(5)} MiB at most`,
    ];
    console.log(subject.padEnd(14), figures.join("  "));
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ mib, rounds, rows }, undefined, 2)}\n`);
} finally {
  for (const { child } of servers.values()) child.kill();
}
