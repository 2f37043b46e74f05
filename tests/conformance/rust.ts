// Server `rust` of the conformance tests: kit generates it from the routes in `rust-server/api`, and its
// handlers are written in Rust.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

import type { Served, Settings } from "./columns.ts";

/** True if this run tests only the Rust server: `KIT_E2E_SERVER=rust node --test "tests/conformance/*.test.ts"`. */
export const isRust: boolean = process.env["KIT_E2E_SERVER"] === "rust";

/** Registers a skipped test, whose message tells why the Rust server is not tested. */
export function notInRust(what: string, reason: string): void {
  if (isRust) test(what, { skip: reason }, () => undefined);
}

/** Directory for the programs that cargo builds from generated code. `xtask/src/check.rs` contains the same path. */
const built = resolve(import.meta.dirname, "../../target/generated/debug");

/** Environment variable for each setting of the server. */
const variables = {
  bodyBytes: "BODY_LIMIT_BYTES",
  requestTimeoutMs: "REQUEST_TIMEOUT_MS",
  headersTimeoutMs: "HEADERS_TIMEOUT_MS",
  bodyTimeoutMs: "BODY_TIMEOUT_MS",
  keepAliveTimeoutMs: "KEEP_ALIVE_TIMEOUT_MS",
  writeTimeoutMs: "WRITE_TIMEOUT_MS",
  maxConnections: "MAX_CONNECTIONS",
  host: "HOST",
} as const satisfies Record<keyof Omit<Settings, "tls">, string>;

const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Running program of `rust-server`. */
export interface RustServed extends Served {
  readonly pid: number;
}

/** Returns the greatest memory that a program has had, in MiB. Needs Linux. */
export function peakOf({ pid }: RustServed): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}

/** Ends a program. Does nothing if the program has ended already. */
async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  // The event `exit` is not emitted again, so waiting for it would not end.
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

/** Starts one of the programs in `rust-server`, or that of `rust-payments`. */
export async function startRust(
  program: "rust-server" | "raw-echo" | "edge" | "rust-payments",
  settings: Omit<Settings, "tls">,
  mode: "production" | "development" = "production",
  variablesOfProgram: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<RustServed> {
  const given = Object.entries(settings).map(([name, value]) => [
    variables[name as keyof typeof variables],
    String(value),
  ]);
  const child = spawn(resolve(built, program), {
    env: {
      NODE_ENV: mode,
      PORT: "0",
      HOST: "127.0.0.1",
      LOG_LEVEL: "error",
      // Programs that run at the same time would wait for the same port.
      DEBUG_PORT: "off",
      ...Object.fromEntries(given),
      ...variablesOfProgram,
    },
    stdio: ["ignore", "pipe", "inherit"],
    cwd,
  });
  alive.add(child);
  child.once("exit", () => alive.delete(child));
  let written = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written += text));
  const failed = once(child, "error").then(([error]) => Promise.reject(error as Error));
  for (;;) {
    const port = /^Listening on https?:\S+:(\d+)$/m.exec(written)?.[1];
    if (port !== undefined)
      return {
        port: Number(port),
        pid: child.pid!,
        log: () => written,
        aborted: () => written.match(/"message":"aborted"/g)?.map(() => "REQUEST_TIMEOUT") ?? [],
        stop: () => end(child, "SIGTERM"),
        [Symbol.asyncDispose]: () => end(child, "SIGKILL"),
      };
    if (child.exitCode !== null) throw new Error(`${program} did not start: ${written}`);
    await Promise.race([once(child.stdout, "data"), once(child, "exit"), failed]);
  }
}
