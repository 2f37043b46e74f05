import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import type { Program } from "./app-process.ts";

/** Time after which a worker that stops is killed, in milliseconds. */
const killMs = 5_000;

const sourceImports = import.meta.resolve("#source-imports");
/** Ends a worker whose `kit dev` was killed: the channel to `kit dev` is then closed. */
const link = `data:text/javascript,${encodeURIComponent(
  'process.once("disconnect", () => process.kill(process.pid, "SIGTERM")); process.channel.unref();',
)}`;

/** Program that does jobs, beside the application under `kit dev`. */
export class WorkerProgram {
  readonly #onEnd: (description: string) => void;
  #child: ChildProcess | undefined;
  /** Program to run. Changes while the last program ends. */
  #wanted: Program | null = null;
  #isReplacing = false;
  /** Resolves when the worker that was asked to end has ended. */
  #ended: Promise<unknown> = Promise.resolve();

  /** @param onEnd - Called when a worker ends by itself. The argument has its exit code or its signal. */
  constructor(onEnd: (description: string) => void) {
    this.#onEnd = onEnd;
  }

  /** Ends the worker that runs, and then starts another one. `null` starts none. */
  replace(program: Program | null): void {
    this.#wanted = program;
    if (this.#isReplacing) return;
    this.#isReplacing = true;
    void this.#replace();
  }

  async #replace(): Promise<void> {
    await this.#end();
    this.#isReplacing = false;
    if (this.#wanted !== null) this.#start(this.#wanted);
  }

  /** Ends the worker. */
  async close(): Promise<void> {
    this.#wanted = null;
    await this.#end();
  }

  #start(program: Program): void {
    const child = spawn(
      process.execPath,
      ["--import", sourceImports, "--import", link, program.entry, ...program.args],
      {
        cwd: program.root,
        env: program.env,
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
    );
    this.#child = child;
    child.on("exit", (code, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#onEnd(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
    child.on("error", (error) => {
      if (child.pid !== undefined || this.#child !== child) return;
      this.#child = undefined;
      this.#onEnd(error.message);
    });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const killer = setTimeout(() => child.kill("SIGKILL"), killMs);
      this.#ended = once(child, "exit").finally(() => clearTimeout(killer));
      child.kill("SIGTERM");
    }
    // `close` also waits for a worker that `replace` has asked to end.
    await this.#ended;
  }
}
