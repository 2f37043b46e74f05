import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { WorkerStatus } from "../../src/index.ts";

const program = fileURLToPath(new URL("program.ts", import.meta.url));
/** Timeout for each wait, in milliseconds. It is long because machines may be busy. */
export const timeoutMs = 20_000;

/** JSON line that the program prints: an event of the test program, or an entry of its log. */
export interface Line {
  readonly began?: number;
  readonly started?: number;
  readonly stopped?: number;
  readonly listening?: number;
  readonly rejected?: number;
  readonly worker?: number;
  readonly port?: number;
  readonly redirectPort?: number;
  readonly url?: string;
  readonly workers?: readonly WorkerStatus[];
  readonly code?: string;
  readonly cause?: string;
  readonly level?: string;
  readonly message?: string;
  readonly data?: { readonly worker?: number; readonly pid?: number; readonly restartInMs?: number };
}

/**
 * The program with its workers. At the end of its block, the program is killed, and the test fails if one of its
 * processes still runs.
 */
export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  errors = "";
  readonly #ended: Promise<[number | null, NodeJS.Signals | null]>;

  constructor(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [...args, program], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#ended = once(this.child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    createInterface({ input: this.child.stdout! }).on("line", (line) =>
      this.lines.push(JSON.parse(line) as Line),
    );
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
  }

  /** Resolves to the first line from index `from` that matches the condition. */
  async line(condition: (line: Line) => boolean, from = 0): Promise<Line> {
    let found: Line | undefined;
    await until(
      () => (found = this.lines.slice(from).find(condition)) !== undefined,
      () => this.#output(),
    );
    return found!;
  }

  /** Resolves to the port of the workers after all of them listen. */
  async port(): Promise<number> {
    const line = await this.line(({ listening, rejected }) => (listening ?? rejected) === this.child.pid);
    assert.ok(line.port, this.#output());
    return line.port;
  }

  /** Resolves to the matching lines as soon as there are at least `count`. */
  async linesOf(condition: (line: Line) => boolean, count: number): Promise<readonly Line[]> {
    await until(
      () => this.lines.filter(condition).length >= count,
      () => this.#output(),
    );
    return this.lines.filter(condition).slice(0, count);
  }

  /** Returns the process id of a worker's first process. */
  pidOf(worker: number): number {
    return this.lines.find((line) => line.worker === worker && line.started !== undefined)!.started!;
  }

  /** Returns the log entries that were printed so far. */
  log(): string {
    return this.lines.flatMap((line) => (line.level === undefined ? [] : JSON.stringify(line))).join("\n");
  }

  /** Returns the ids of all processes that the program has started. */
  pids(): readonly number[] {
    return this.lines.flatMap(({ began }) => began ?? []);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.child.pid!, signal);
  }

  /** Resolves to the exit status of the program. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const timeout = sleep(timeoutMs, undefined, { ref: false });
    const end = await Promise.race([this.#ended, timeout]);
    assert.ok(end, `The program does not end: ${this.#output()}`);
    return { code: end[0], signal: end[1] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.#ended;
    await until(
      () => this.pids().every((pid) => !isAlive(pid)),
      () => `left: ${this.pids().filter(isAlive).join(", ")}\n${this.#output()}`,
    );
  }

  #output(): string {
    return `${this.lines.map((line) => JSON.stringify(line)).join("\n")}\n${this.errors}`;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the condition is true; fails after the timeout. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  describe: () => string,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(`Waited in vain. ${describe()}`);
    await sleep(10);
  }
}

/**
 * Sends a request on a new connection, because the operating system distributes connections and not requests between
 * the workers.
 */
export function sendRequest(port: number, path: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const outgoing = request({ port, path, host: "127.0.0.1", agent: false, timeout: timeoutMs }, (answer) => {
    let body = "";
    answer.setEncoding("utf8").on("data", (part: string) => (body += part));
    answer.on("error", reject);
    answer.on("end", () => {
      const status = answer.statusCode!;
      resolve({ status, text: status === 200 ? (JSON.parse(body) as { text: string }).text : body });
    });
  });
  outgoing.on("timeout", () => outgoing.destroy(new Error("no answer")));
  outgoing.on("error", reject);
  outgoing.end();
  return promise;
}

/** Returns the ids of the processes that respond, by the number of the worker. */
export async function whoAnswers(port: number, times = 60): Promise<Map<string, Set<string>>> {
  const answers = await Promise.all(Array.from({ length: times }, () => sendRequest(port, "/who")));
  const pids = new Map<string, Set<string>>();
  for (const { text } of answers) {
    const [worker, pid] = text.split(" ") as [string, string];
    pids.set(worker, (pids.get(worker) ?? new Set()).add(pid));
  }
  return pids;
}

/** Clients under load: each sends one request after the other, each on a new connection. */
export class Load {
  answered = 0;
  failed = 0;
  #isDone = false;
  readonly #clients: Promise<void[]>;

  constructor(port: number, clients: number) {
    this.#clients = Promise.all(Array.from({ length: clients }, () => this.#run(port)));
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#clients;
  }

  async #run(port: number): Promise<void> {
    while (!this.#isDone) {
      await sendRequest(port, "/who").then(
        () => (this.answered += 1),
        () => (this.failed += 1),
      );
    }
  }
}
