/** Load generators of the profiles: `wrk` for requests, and kit's own generator for WebSockets. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

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
  { connections, depth, factor, closes }: Profile,
  time: number,
): Promise<Load> {
  // `wrk` accepts whole seconds only.
  const duration = `${Math.max(1, Math.round(time * factor))}s`;
  const text = await outputOf(
    "wrk",
    ["--threads", "1", "--connections", `${connections}`, "--duration", duration, "--timeout", "10s"].concat([
      "--script",
      script,
      `http://127.0.0.1:${port}/`,
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
