import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { NodeEnd } from "@kit/transform-native";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A run of Node, how it ended, and the signal that this process got meanwhile. */
export interface Ended extends NodeEnd {
  readonly received: NodeJS.Signals | undefined;
}

/**
 * Runs this Node until it ends. What it prints goes to standard error, since standard output belongs to the command's
 * result. A signal to this process is passed on, a second one kills.
 *
 * @param args - `{report}` stands for a file whose text is given back, `{reporter}` for `test-reporter.ts`.
 */
export async function runNode(args: readonly string[], directory: string): Promise<Ended> {
  const scratch = await mkdtemp(join(tmpdir(), "kit-"));
  try {
    const report = join(scratch, "report");
    const places = new Map([
      ["{report}", report],
      ["{reporter}", import.meta.resolve("#test-reporter")],
    ]);
    const end = await ended(
      args.map((argument) => places.get(argument) ?? argument),
      directory,
    );
    return { ...end, report: await textOf(report) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function ended(args: readonly string[], cwd: string): Promise<Omit<Ended, "report">> {
  const { promise, resolve, reject } = Promise.withResolvers<Omit<Ended, "report">>();
  // Set by a test that runs kit, it would make the tests that kit runs report to that one's runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["inherit", 2, 2] });
  let received: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals): void => {
    if (received !== undefined) child.kill("SIGKILL");
    // The key reaches everything in the terminal's foreground; the child has it already.
    else if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    received = signal;
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  child.once("error", reject);
  child.once("close", (code, signal) =>
    resolve({ code, signal, interrupted: received !== undefined, received }),
  );
  try {
    return await promise;
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
