import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

const WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

/** A terminal in which a command goes on running. Both of its streams are one text, as a person sees them. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #text = "";
  /** What was looked at already. */
  #seen = 0;

  constructor(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
    // In a group of its own, which Ctrl-C ends as a whole.
    this.#child = spawn("bash", ["-c", `exec 2>&1; ${command}`], {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => (this.#text += text));
    this.#ended = once(this.#child, "close");
  }

  /** What it says since it was last looked at. */
  get unseen(): string {
    return this.#text.slice(this.#seen);
  }

  /** Waits until what is new passes; gives it and counts as looking, or gives nothing where it does not come to that. */
  async shows(passes: (unseen: string) => boolean): Promise<boolean> {
    const found = await this.#comes(passes);
    if (found) this.#seen = this.#text.length;
    return found;
  }

  /** Waits for a line that begins so after `from` characters of all that it said; looking is for {@link shows}. */
  async says(line: RegExp, from: number): Promise<boolean> {
    return this.#comes(() => line.test(this.#text.slice(from)));
  }

  /** How much it said so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Presses Ctrl-C and waits for the end. */
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
