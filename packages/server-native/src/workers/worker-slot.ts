import type { ChildProcess } from "node:child_process";

import type { CloseOptions, SupervisorLog } from "@kit/types";

import { BackOff } from "./back-off.ts";
import { type Message, readMessage, toError } from "./messages.ts";
import { startWorker, type WorkerPlan } from "./plan.ts";

/** Current status of a worker. */
export interface WorkerStatus {
  /** Number of the worker, from 1. A restarted worker keeps its number. */
  readonly number: number;
  /** Process id; `undefined` while the worker waits for its restart. */
  readonly pid: number | undefined;
  readonly state: "starting" | "listening" | "waiting" | "closed";
  /** Number of restarts. */
  readonly restarts: number;
}

/** Time after which the log reports that a started worker does not listen yet, in milliseconds. */
const slowStartMs = 30_000;

/** Longest delay of a timer, in milliseconds. Node fires a timer with a longer delay immediately. */
const longestTimerMs = 2 ** 31 - 1;

const restartMessage = "A worker exited and is restarted";

/** Exit code or signal of a process, or the error because of which it could not be started. */
type WorkerExit =
  | { readonly exitCode: number | null; readonly signal: string | null }
  | { readonly error: Error };

/** One worker of the primary, with its current process. Each restart replaces the process. */
export class WorkerSlot {
  readonly #entry: string;
  readonly #plan: WorkerPlan;
  readonly #log: SupervisorLog;
  readonly #backOff = new BackOff();
  #process: ChildProcess | undefined;
  #ended: Promise<WorkerExit> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #listensSince: number | undefined;
  #restarts = 0;
  #isClosing = false;
  /** True if the worker restarts whenever it exits. */
  #restartsEnabled = false;
  #lastExit: WorkerExit | undefined;

  constructor(entry: string, plan: WorkerPlan, log: SupervisorLog) {
    this.#entry = entry;
    this.#plan = plan;
    this.#log = log;
  }

  status(): WorkerStatus {
    const isRunning = this.#process !== undefined;
    const state = this.#listensSince !== undefined ? "listening" : isRunning ? "starting" : "waiting";
    return {
      number: this.#plan.worker,
      pid: this.#process?.pid,
      state: this.#isClosing && !isRunning ? "closed" : state,
      restarts: this.#restarts,
    };
  }

  /**
   * Starts a process. The promise resolves when the process listens, and rejects with the reason if the process fails
   * to listen.
   */
  start(): Promise<void> {
    const { worker } = this.#plan;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<WorkerExit>();
    const slow = setTimeout(() => {
      this.#log.warn("A worker does not listen yet", { worker, pid: child.pid, waitedMs: slowStartMs });
    }, slowStartMs);
    this.#ended = ended.promise;
    const child = startWorker(this.#entry, this.#plan);
    this.#process = child;
    child.on("message", (value) => {
      const message = readMessage(value);
      if (message?.kit === "ready") {
        clearTimeout(slow);
        this.#listensSince = performance.now();
        resolve();
      } else if (message?.kit === "failed") reject(toError(worker, message.failure));
    });
    const onEnd = (end: WorkerExit): void => {
      // A process that could not be started may emit two events.
      if (this.#process !== child) return;
      clearTimeout(slow);
      reject(
        new Error(
          `Worker ${worker} exited before it listened on the port: ${describe(end)}. The reason is in the output of the worker`,
        ),
      );
      ended.resolve(end);
      this.#onEnd(end);
    };
    child.on("exit", (exitCode, signal) => onEnd({ exitCode, signal }));
    child.on("error", (error) => {
      // `error` is also emitted for messages that could not be sent to a running process. Its `exit` event follows.
      if (child.pid === undefined) onEnd({ error });
    });
    return promise;
  }

  /** Makes the worker restart whenever it exits from now on. */
  enableRestarts(): void {
    this.#restartsEnabled = true;
    // The worker may have exited while other workers were starting.
    if (this.#process === undefined && !this.#isClosing) this.#startLater(this.#lastExit!, 0);
  }

  /** Closes the worker and waits until its process exits. Kills the process after `killMs`. Rejects if the process ends with an error. */
  async close({ graceMs, delayMs = 0 }: CloseOptions, killMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child === undefined) return;
    const { worker } = this.#plan;
    const message: Message = { kit: "close", graceMs, delayMs };
    // A disconnected worker is already closing. If the message cannot be delivered, the worker is disconnected too.
    if (child.connected) child.send(message, () => {});
    const killer = setTimeout(
      () => {
        this.#log.error("A worker did not end in time and was killed", {
          worker,
          pid: child.pid,
          waitedMs: killMs,
        });
        child.kill("SIGKILL");
      },
      Math.min(killMs, longestTimerMs),
    );
    const end = await this.#ended!;
    clearTimeout(killer);
    if ("error" in end || (end.exitCode !== 0 && !isGroupSignal(end.signal)))
      throw new Error(`Worker ${worker} did not shut down cleanly: ${describe(end)}`);
  }

  /** Returns true if the last process was ended by a signal that is usually sent to the whole process group. */
  endedBySignal(): boolean {
    const end = this.#lastExit;
    return end !== undefined && !("error" in end) && isGroupSignal(end.signal);
  }

  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #onEnd(end: WorkerExit): void {
    const livedMs = this.#listensSince === undefined ? 0 : performance.now() - this.#listensSince;
    const pid = this.#process?.pid;
    this.#process = undefined;
    this.#listensSince = undefined;
    this.#lastExit = end;
    if (this.#restartsEnabled && !this.#isClosing) this.#startLater(end, livedMs, pid);
  }

  #startLater(end: WorkerExit, livedMs: number, pid?: number): void {
    const { worker } = this.#plan;
    const restartInMs = this.#backOff.delayAfter(livedMs);
    const data = { worker, pid, ...end, restartInMs };
    // Exit code 0 means that the worker was stopped on purpose, for example with SIGTERM, to be replaced.
    if ("exitCode" in end && end.exitCode === 0) this.#log.warn(restartMessage, data);
    else this.#log.error(restartMessage, data);
    this.#restart = setTimeout(() => {
      this.#restarts += 1;
      this.start().then(
        () => this.#log.info("A worker listens again", { worker, pid: this.#process?.pid }),
        // The log has an entry for the exit already. This one has the reason why the start failed.
        (error: unknown) => {
          if (!this.#isClosing) this.#log.error("A worker could not start", { worker, error });
        },
      );
    }, restartInMs);
  }
}

/**
 * Returns true for a signal that is usually sent to the whole process group. Such a signal may end a closed worker during the shutdown of
 * Node.
 */
function isGroupSignal(signal: string | null): boolean {
  return signal === "SIGTERM" || signal === "SIGINT";
}

function describe(end: WorkerExit): string {
  if ("error" in end) return `it could not be started (${end.error.message})`;
  return end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`;
}
