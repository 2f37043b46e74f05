/** Load generators of the profiles: `wrk` and h2load for requests, and kit's own generator for WebSockets. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { runH2load } from "../h2load.ts";
import { headOf } from "./exchange.ts";
import type { Profile } from "./profiles.ts";

/** Result of a turn. */
export interface Load {
  /** Number of responses or messages. */
  readonly count: number;
  readonly seconds: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const script = join(import.meta.dirname, "wrk.lua");

/** Sends the requests of a profile with one thread of `wrk`. Rejects if a response has an error. */
export async function loadRequests(
  port: number,
  requests: string,
  { connections, depth, factor, closes, protocol }: Profile,
  time: number,
): Promise<Load> {
  // `wrk` accepts whole seconds only.
  const duration = `${Math.max(1, Math.round(time * factor))}s`;
  const text = await outputOf(
    "wrk",
    ["--threads", "1", "--connections", `${connections}`, "--duration", duration, "--timeout", "10s"].concat([
      "--script",
      script,
      `${protocol}://127.0.0.1:${port}/`,
    ]),
    "",
    { ARENA_REQUESTS: requests, ARENA_DEPTH: `${depth}` },
  );
  const line = text.split("\n").findLast((candidate) => candidate.startsWith("{"));
  if (line === undefined) throw new Error(`wrk printed no result:\n${text.slice(-500)}`);
  const {
    requests: count,
    failed,
    read,
    ...rest
  } = JSON.parse(line) as Load & {
    readonly requests: number;
    readonly failed: number;
    readonly read: number;
  };
  const failures = closes ? failed - read : failed;
  if (failures > 0 || count === 0) throw new Error(`${failures} requests failed: ${line}`);
  return { ...rest, count };
}

/**
 * Sends the requests of a profile over HTTP/2 with h2load. Rejects if a response has an error.
 *
 * @param directory Directory for the files of h2load.
 */
export async function loadHttp2(
  port: number,
  { measured, connections, depth, factor }: Profile,
  time: number,
  directory: string,
): Promise<Load> {
  const heads = measured.map(({ request }) => headOf(request));
  const addresses = join(directory, "addresses");
  writeFileSync(addresses, heads.map(({ target }) => `https://127.0.0.1:${port}${target}\n`).join(""));
  // All requests of a profile have the same headers.
  const headers = heads[0]!.headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const log = join(directory, "h2load.log");
  const duration = `${Math.max(1, Math.round(time * factor))}`;
  const limits = ["-c", `${connections}`, "-m", `${depth}`, "-D", duration];
  try {
    const { requests, seconds } = await runH2load(
      [...limits, ...headers, "--log-file", log, "-i", addresses],
      true,
    );
    // A line has the time of the start, the status, and the time until the end in microseconds.
    const times = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => Number(line.split("\t")[2]) / 1000)
      .toSorted((a, b) => a - b);
    const percentile = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? Number.NaN;
    return { count: requests, seconds, p50_ms: percentile(0.5), p99_ms: percentile(0.99) };
  } finally {
    rmSync(log, { force: true });
  }
}

/** Sends a message on WebSockets and waits for the same message. Rejects if another message arrives. */
export async function loadSocket(
  loader: string,
  port: number,
  connections: number,
  seconds: number,
): Promise<Load> {
  const options = ["--path", "/ws", "--connections", `${connections}`, "--seconds", `${seconds}`];
  const text = await outputOf(loader, [`127.0.0.1:${port}`, ...options], "hello", {});
  const result = JSON.parse(text) as (Load & { readonly messages: number }) | { readonly error: string };
  if ("error" in result) throw new Error(result.error);
  if (result.messages === 0) throw new Error("no message came back");
  return { ...result, count: result.messages };
}

async function outputOf(
  file: string,
  parameters: readonly string[],
  input: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(file, parameters, {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const failed = once(child, "error").then(([error]: unknown[]) => {
    throw new Error(`${file} cannot be started (Debian has the package wrk): ${String(error)}`);
  });
  child.stdin.on("error", () => undefined).end(input);
  return await Promise.race([
    failed,
    child.stdout
      .setEncoding("utf8")
      .toArray()
      .then((parts) => parts.join("")),
  ]);
}
