import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

const WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** Command in a pseudoterminal. Its output contains both streams, as a user sees them. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = "";
  /** Number of characters of the output that have been read. */
  #readTo = 0;

  constructor(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
    // The process group is separate, so that Ctrl-C stops all processes in it.
    this.#child = spawn("bash", ["-c", `exec 2>&1; ${command}`], {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.#text += text));
    this.#ended = once(this.#child, "close");
  }

  /** Returns the output that has not been read. */
  get unread(): string {
    return this.#text.slice(this.#readTo);
  }

  /** Waits until `passes` accepts the unread output. Then marks it as read and returns true. Returns false after the timeout. */
  async shows(passes: (unread: string) => boolean): Promise<boolean> {
    const found = await this.#comes(passes);
    if (found) this.#readTo = this.#text.length;
    return found;
  }

  /** Waits for a line that matches, after the first `from` characters of the output. Does not mark the output as read. */
  async says(line: RegExp, from: number): Promise<boolean> {
    return this.#comes(() => line.test(this.#text.slice(from)));
  }

  /** Returns the number of characters of the output so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Presses Ctrl-C and waits until the command has exited. */
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

  async #comes(passes: (unread: string) => boolean): Promise<boolean> {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      if (passes(this.unread)) return true;
      const over = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (over || performance.now() > deadline) return passes(this.unread);
      // oxlint-disable-next-line no-await-in-loop
      await setTimeout(50);
    }
  }
}
