import { spawn } from "node:child_process";

/** Measurements that the load generator prints. */
export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Request that the load generator sends, and the status that every response must have. */
export interface Sent {
  readonly request: string;
  readonly status: number;
  /** Length of one request in bytes. Present if `request` contains several requests, which are sent in turn. */
  readonly size?: number;
}

/** Sends a request again and again for some seconds. Rejects if a response is wrong. */
export async function load(
  loader: string,
  port: number,
  { request, status, size }: Sent,
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
      ...(size === undefined ? [] : ["--size", `${size}`]),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  child.stdin.end(request);
  const text = (await child.stdout.setEncoding("utf8").toArray()).join("");
  if (text === "") throw new Error("the load generator was stopped");
  const result = JSON.parse(text) as LoadResult | { error: string };
  if ("error" in result) throw new Error(`the load generator failed: ${result.error}`);
  return result;
}
