import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

import type { TypeCheckRequest } from "@kit/transform-native";

/** Maximum number of characters of a type checker's output that are kept. */
const longestText = 4 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** Result of a type check. */
export interface TypeCheckEnd {
  /** Exit code; `null` if the type checker could not be started, or if a signal ended it. */
  readonly code: number | null;
  /** Output of the type checker, from both streams. */
  readonly text: string;
}

/** Runs the project's type checker, with a lower priority than the application. Only one check runs at a time. */
export class TypeChecker {
  readonly #onEnd: (end: TypeCheckEnd) => void;
  #running: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** Creates a type checker that calls `onEnd` at the end of each check, except of a check that was stopped. */
  constructor(onEnd: (end: TypeCheckEnd) => void) {
    this.#onEnd = onEnd;
  }

  /** Starts a check in a directory. Stops the check that is running. */
  start({ program, args }: TypeCheckRequest, directory: string): void {
    this.stop();
    const child = spawn(isWindows ? `"${program}"` : program, args, {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
      // On Windows, npm installs a program as a script, which only a shell can start.
      shell: isWindows,
      // The check gets a process group of its own, so that processes which it starts are stopped with it.
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

/** Lowers the priority of a process, so that the application runs first. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited, or the operating system does not permit the change. The check then runs with normal
    // priority.
  }
}
