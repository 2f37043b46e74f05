// A part of the cluster: a program that can be killed, paused and started again.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";

import { until } from "../../database/support/cluster.ts";

/** Program of a part. */
export interface PartProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Account of the operating system, for programs that refuse to run as root. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** File for the output. */
  readonly log: string;
  /** Returns true if the part is ready to work. `output` returns what the program has written since its start. */
  readonly ready: (output: () => string) => Promise<boolean>;
  /** Signal that stops the part properly. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** Maximum time in milliseconds for a part to become ready or to stop. */
const patienceMs = 60_000;

/** A part that runs. */
export class Part {
  program: PartProgram;
  #child: ChildProcess | undefined;
  #isPaused = false;

  constructor(program: PartProgram) {
    this.program = program;
  }

  get name(): string {
    return this.program.name;
  }

  /** True if the process exists. */
  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Starts the program and waits until the part is ready. */
  async start(): Promise<void> {
    const { command, args, cwd, env, account, log, ready } = this.program;
    const output = openSync(log, "a");
    // The log also has the output of earlier starts.
    const begin = fstatSync(output).size;
    // With a process group of its own, Ctrl-C does not reach the part, so that the cluster stops in order.
    this.#child = spawn(command, args, {
      ...account,
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    this.#child.on("error", () => undefined);
    const child = this.#child;
    await until(
      async () => {
        if (!this.isRunning || child.pid === undefined) throw new Error(`${this.name} ended: see ${log}`);
        return ready(() => readFileSync(log).subarray(begin).toString());
      },
      `${this.name} to be ready (see ${log})`,
      patienceMs,
    );
  }

  /** Stops the program properly, and kills it if it does not end. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.resume();
    const ended = once(this.#child!, "exit");
    this.#signal(this.program.stopSignal ?? "SIGTERM");
    const killer = setTimeout(() => this.#signal("SIGKILL"), patienceMs);
    await ended;
    clearTimeout(killer);
  }

  /** Kills the program and all processes that it has started. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child!, "exit");
    this.#signal("SIGKILL");
    this.#isPaused = false;
    await ended;
  }

  /** Makes the program read its configuration again. */
  reload(): void {
    this.#signal("SIGHUP");
  }

  pause(): void {
    this.#isPaused = true;
    this.#signal("SIGSTOP");
  }

  resume(): void {
    if (this.#isPaused) this.#signal("SIGCONT");
    this.#isPaused = false;
  }

  /** Sends a signal to the program, and also to its processes if the signal kills, pauses or continues. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.isRunning) return;
    const isForAll = signal === "SIGKILL" || signal === "SIGSTOP" || signal === "SIGCONT";
    for (const one of isForAll ? [pid, ...descendants(pid)] : [pid]) {
      try {
        process.kill(one, signal);
      } catch {
        // The process has ended.
      }
    }
  }
}

/**
 * Returns the processes that a process has started, and those that they have started. The processes of PostgreSQL have process groups
 * of their own, so a signal to the group of the server does not reach them.
 */
function descendants(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  // Without the program `ps`, only the process itself gets the signal.
  const rows = String(stdout ?? "")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found: number[] = [];
  for (let parents = [pid]; parents.length > 0;) {
    const children = rows.filter(([, parent]) => parents.includes(parent!)).map(([child]) => child!);
    found.push(...children);
    parents = children;
  }
  return found;
}

/** Returns true if a URL answers with 200 within a second. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
