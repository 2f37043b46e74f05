import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

import type { TypeCheckRequest } from "@kit/transform-native";

/** A checker that prints more than this has nothing to say that anybody reads. */
const longestText = 4 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** How a type check ended. */
export interface TypeCheckEnd {
  /** `null` if it could not be started or a signal ended it. */
  readonly code: number | null;
  /** What it printed. */
  readonly text: string;
}

/** Runs one type check at a time, beside the application and with less priority. */
export class TypeChecker {
  readonly #onEnd: (end: TypeCheckEnd) => void;
  #running: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** `onEnd` is not called for a check that was stopped. */
  constructor(onEnd: (end: TypeCheckEnd) => void) {
    this.#onEnd = onEnd;
  }

  /** Stops the check under way and starts another one in a directory. */
  start({ program, args }: TypeCheckRequest, directory: string): void {
    this.stop();
    const child = spawn(isWindows ? `"${program}"` : program, args, {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
      // npm's programs are scripts on Windows, which only a shell starts.
      shell: isWindows,
      // A group of its own: what tsc starts is stopped with it.
      detached: !isWindows,
    });
    this.#running = child;
    lowerPriority(child);
    let text = "";
    const collect = (chunk: string): void => {
      if (text.length < longestText) text += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    const end = (code: number | null): void => {
      resolve();
      if (this.#running !== child) return;
      this.#running = undefined;
      this.#onEnd({ code, text });
    };
    child.once("error", (error) => {
      text += error.message;
      if (child.pid === undefined) end(null);
    });
    child.once("close", (code) => end(code));
  }

  /** Stops the check under way. */
  stop(): void {
    const child = this.#running;
    this.#running = undefined;
    if (child?.pid === undefined) return;
    try {
      if (isWindows) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  /** Stops the check under way; settles when it has ended. */
  close(): Promise<void> {
    this.stop();
    return this.#ended;
  }
}

/** The application comes first. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not permit it; then both have the same priority.
  }
}
