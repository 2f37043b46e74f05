import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

import { kitOf } from "./project.ts";

/** Time in milliseconds after which any wait fails. */
const patience = 30_000;

/**
 * Times in milliseconds that `kit dev` prints after an edit: the duration of the build, and the time from the detected change until the new
 * process listens.
 */
export interface BuildTimes {
  readonly build: number;
  readonly ready: number;
}

/** Process of `kit dev` for a project. */
export class KitDev {
  readonly #child: ChildProcess;
  output = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      stream
        .setEncoding("utf8")
        .on("data", (text: string) => (this.output += stripVTControlCharacters(text)));
    }
  }

  /** Starts `kit dev` and waits until the application serves requests. */
  static async start(root: string, port: number, signal: AbortSignal): Promise<KitDev> {
    const { DATABASE_URL: _, ...env } = process.env;
    const dev = new KitDev(
      spawn(process.execPath, [kitOf(root), "dev", "--port", String(port)], { cwd: root, env, signal }),
    );
    dev.#child.on("error", () => undefined);
    await dev.until(() => dev.output.includes("ready in"), "it did not serve");
    return dev;
  }

  /** Returns the times of all builds so far, in order. */
  buildTimes(): BuildTimes[] {
    const all = this.output.matchAll(/^built .* in (\d+) ms .*\n(?:(?!built ).*\n)*?ready in (\d+) ms$/gm);
    return [...all].map(([, build, ready]) => ({ build: Number(build), ready: Number(ready) }));
  }

  /** Checks a condition every millisecond until it is true. */
  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + patience;
    while (!(await holds())) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`kit dev exited:\n${this.output}`);
      if (performance.now() > end)
        throw new Error(`${what}; output of kit dev:\n${this.output.slice(-2000)}`);
      await setTimeout(1);
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}
