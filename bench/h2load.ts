/** Runs the load generator h2load of nghttp2 with one thread, and reads what it prints. */
import { spawn, spawnSync } from "node:child_process";

/** Result of a run. */
export interface H2loadResult {
  /** Number of requests with a response that succeeded. */
  readonly requests: number;
  readonly seconds: number;
  /** Mean time of a request in milliseconds. */
  readonly mean: number;
}

/** Ends the process with an explanation if h2load is not installed. */
export function requireH2load(): void {
  if (spawnSync("h2load", ["--version"]).error === undefined) return;
  console.error("error: the program h2load is not installed (Debian: nghttp2-client)");
  process.exit(2);
}

/**
 * Runs h2load. Rejects if a request failed, if a status was not 2xx, or if the server did not choose HTTP/2 although the caller needs
 * HTTP/2: h2load speaks HTTP/1.1 then.
 */
export async function runH2load(parameters: readonly string[], needsHttp2: boolean): Promise<H2loadResult> {
  const child = spawn("h2load", ["-t", "1", ...parameters], { stdio: ["ignore", "pipe", "pipe"] });
  const [text, errors] = await Promise.all([
    child.stdout.setEncoding("utf8").toArray(),
    child.stderr.setEncoding("utf8").toArray(),
  ]).then((parts) => parts.map((part) => part.join("")));
  if (needsHttp2 && !text!.includes("Application protocol: h2"))
    throw new Error(`the server did not choose HTTP/2\n${text}`);
  const result = read(text!);
  if (result === undefined) throw new Error(`h2load failed\n${text}${errors}`);
  return result;
}

/** Reads what h2load prints. Returns `undefined` if a request failed or was refused. */
function read(text: string): H2loadResult | undefined {
  const [, taken, unit] = /finished in ([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const [, done, failed] = /(\d+) succeeded, (\d+) failed/.exec(text) ?? [];
  // The number of heads with 2xx also counts requests that were in progress at the end.
  const isRight = text.includes(" 2xx, 0 3xx, 0 4xx, 0 5xx");
  const [, mean, meanUnit] = /time for request: +\S+ +\S+ +([\d.]+)(us|ms|s)/.exec(text) ?? [];
  if (!taken || !mean || failed !== "0" || done === "0" || !isRight) return undefined;
  return {
    requests: Number(done),
    seconds: (Number(taken) * millisecondsOf(unit!)) / 1000,
    mean: Number(mean) * millisecondsOf(meanUnit!),
  };
}

function millisecondsOf(unit: string): number {
  return unit === "s" ? 1000 : unit === "ms" ? 1 : 0.001;
}
