import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

const WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** Terminal with a running command. Both of its streams are one text, as a user sees them. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = "";
  /** Length of the output that was read. */
  #seen = 0;

  constructor(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
    // A separate process group, so that Ctrl-C stops all of its processes.
    this.#child = spawn("bash", ["-c", `exec 2>&1; ${command}`], {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.#text += text));
    this.#ended = once(this.#child, "close");
  }

  /** Returns the output since the last read. */
  get unseen(): string {
    return this.#text.slice(this.#seen);
  }

  /** Waits until the new output passes. Then marks the output as read and returns true; returns false after the timeout. */
  async shows(passes: (unseen: string) => boolean): Promise<boolean> {
    const found = await this.#comes(passes);
    if (found) this.#seen = this.#text.length;
    return found;
  }

  /** Waits for a matching line after the first `from` characters of the output, without marking output as read. */
  async says(line: RegExp, from: number): Promise<boolean> {
    return this.#comes(() => line.test(this.#text.slice(from)));
  }

  /** Returns the length of the output so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Presses Ctrl-C and waits for the exit. */
  async interrupt(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      process.kill(-this.#child.pid!, "SIGINT");
    const timer = new AbortController();
    const late = setTimeout(STOP_WITHIN_MS, "late", { signal: timer.signal }).catch(() => undefined);
    const first = await Promise.race([this.#ended, late]);
    timer.abort();
    if (first !== "late") return;
    process.kill(-this.#child.pid!, "SIGKILL");
    await this.#ended;
    throw new Error(`Ctrl-C did not end it within ${STOP_WITHIN_MS} ms:\n${this.#text}`);
  }

  async #comes(passes: (unseen: string) => boolean): Promise<boolean> {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      if (passes(this.unseen)) return true;
      const over = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (over || performance.now() > deadline) return passes(this.unseen);
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(50);
    }
  }
}
