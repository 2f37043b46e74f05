import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { baseEnvironment } from "./command.ts";
import { repository } from "./project.ts";

const timeoutMs = 60_000;

/** `kit dev` for a project, in a pseudoterminal. Its output contains both streams in order. */
export class DevSession implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    const collect = (text: string): void => void (this.#output += text);
    child.stdout!.setEncoding("utf8").on("data", collect);
    child.stderr!.setEncoding("utf8").on("data", collect);
  }

  static start(
    root: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): DevSession {
    const kit = join(repository, "node_modules/.bin/kit");
    return new DevSession(
      spawn(process.execPath, [kit, "dev", ...args], { cwd: root, env: { ...baseEnvironment(), ...env } }),
    );
  }

  /** Returns the output so far. */
  get output(): string {
    return this.#output;
  }

  /** Returns the process id of `kit dev`. */
  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits until the output contains a text. Ignores the first `from` characters of the output. */
  async shows(text: string | RegExp, from = 0): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const isThere = (): boolean => {
      const output = this.#output.slice(from);
      return typeof text === "string" ? output.includes(text) : text.test(output);
    };
    while (!isThere()) {
      const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
      assert.ok(!hasEnded && performance.now() < deadline, `not in the output: ${text}\n${this.#output}`);
      await sleep(20);
    }
  }

  /** Waits until `kit dev` exits without being stopped. Resolves to its exit code. */
  async end(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await once(this.#child, "close", { signal: AbortSignal.timeout(timeoutMs) });
    }
    return this.#child.exitCode;
  }

  /** Stops `kit dev`. If it does not exit in time, kills it, because a child process keeps the test file running. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } finally {
      this.#child.kill("SIGKILL");
    }
  }

  /** Stops `kit dev` as Ctrl-C does. Resolves to its exit code. */
  stop(): Promise<number | null> {
    this.#child.kill("SIGINT");
    return this.end();
  }
}
