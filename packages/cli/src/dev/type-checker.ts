import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

import type { TypeCheckRequest } from "@kit/transform-native";

/** Maximum number of characters of a checker's output. No user reads more than that. */
const longestText = 4 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** Result of a type check. */
export interface TypeCheckEnd {
  /** Exit code, or `null` if the program could not be started or was ended by a signal. */
  readonly code: number | null;
  /** Output of the program. */
  readonly text: string;
}

/** Runs one type check at a time, with a lower priority than the application. */
export class TypeChecker {
  readonly #onEnd: (end: TypeCheckEnd) => void;
  #running: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** Creates a type checker. `onEnd` is not called for a check that was stopped. */
  constructor(onEnd: (end: TypeCheckEnd) => void) {
    this.#onEnd = onEnd;
  }

  /** Stops the running check and starts another one in a directory. */
  start({ program, args }: TypeCheckRequest, directory: string): void {
    this.stop();
    const child = spawn(isWindows ? `"${program}"` : program, args, {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
      // On Windows, npm installs programs as scripts, which only a shell can start.
      shell: isWindows,
      // Starts the check in its own process group, so that processes of tsc are stopped with it.
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

  /** Stops the running check. */
  stop(): void {
    const child = this.#running;
    this.#running = undefined;
    if (child?.pid === undefined) return;
    try {
      if (isWindows) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has exited already.
    }
  }

  /** Stops the running check. Resolves when its process has exited. */
  close(): Promise<void> {
    this.stop();
    return this.#ended;
  }
}

/** Lowers the priority of a process, because the application is more important. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited, or the system does not permit the change. The check then runs with normal priority.
  }
}
