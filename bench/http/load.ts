import { execFileSync, spawn } from "node:child_process";

import type { Scenario } from "./scenarios.ts";

/** What the load generator prints. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p99_ms: number;
}

/** Builds the load generator, `crates/kit-http/examples/load.rs`, and answers where it is. */
export function buildLoader(): string {
  const output = execFileSync(
    "cargo",
    ["build", "--release", "-p", "kit-http", "--example", "load", "--message-format", "json"],
    {
      cwd: `${import.meta.dirname}/../..`,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 26,
    },
  );
  for (const line of output.split("\n")) {
    if (!line.includes('"executable"')) continue;
    const { executable, target } = JSON.parse(line) as {
      executable: string | null;
      target: { name: string };
    };
    if (executable !== null && target.name === "load") return executable;
  }
  throw new Error("cargo built no load generator");
}

/** Sends one request again and again for a while. Rejects where an answer is wrong. */
export async function load(
  loader: string,
  port: number,
  { request, status }: Scenario,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const child = spawn(
    loader,
    [
      `127.0.0.1:${port}`,
      "--connections",
      `${connections}`,
      "--seconds",
      `${seconds}`,
      "--expect",
      `${status}`,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  child.stdin.end(request);
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const result = JSON.parse(text) as LoadResult | { error: string };
  if ("error" in result) throw new Error(`The load generator gave up: ${result.error}`);
  return result;
}
