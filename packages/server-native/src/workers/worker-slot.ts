import type { ChildProcess } from "node:child_process";

import type { CloseOptions, SupervisorLog } from "@kit/types";

import { BackOff } from "./back-off.ts";
import { type Message, readMessage, toError } from "./messages.ts";
import { startWorker, type WorkerPlan } from "./plan.ts";

/** A worker as it is now. */
export interface WorkerStatus {
  /** From 1; a worker that is started again keeps it. */
  readonly number: number;
  /** Its process; nothing while it waits to be started again. */
  readonly pid: number | undefined;
  readonly state: "starting" | "listening" | "waiting" | "closed";
  /** How often it was started again. */
  readonly restarts: number;
}

/** After how long the log says that a worker does not listen yet. */
const slowStartMs = 30_000;

/** A longer timer of Node fires at once. */
const longestTimerMs = 2 ** 31 - 1;

const restartMessage = "A worker ended and is started again";

/** How a process ended. */
type End = { readonly exitCode: number | null; readonly signal: string | null } | { readonly error: Error };

/** A worker's place: one process after another. */
export class WorkerSlot {
  readonly #entry: string;
  readonly #plan: WorkerPlan;
  readonly #log: SupervisorLog;
  readonly #backOff = new BackOff();
  #process: ChildProcess | undefined;
  #ended: Promise<End> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #listensSince: number | undefined;
  #restarts = 0;
  #isClosing = false;
  /** Whether an end is followed by another start. */
  #isKept = false;
  #lastEnd: End | undefined;

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

  /** Starts a process; rejects with why it does not listen. */
  start(): Promise<void> {
    const { worker } = this.#plan;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<End>();
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
    const onEnd = (end: End): void => {
      // A process that could not be started may tell of it twice.
      if (this.#process !== child) return;
      clearTimeout(slow);
      reject(new Error(`Worker ${worker} ended before it listened: ${describe(end)}. Its output says more`));
      ended.resolve(end);
      this.#onEnd(end);
    };
    child.on("exit", (exitCode, signal) => onEnd({ exitCode, signal }));
    child.on("error", (error) => {
      // Also told of messages that could not be sent, to a process whose exit will be told.
      if (child.pid === undefined) onEnd({ error });
    });
    return promise;
  }

  /** From here on whoever ends is started again. */
  keep(): void {
    this.#isKept = true;
    // It ended while others were still starting.
    if (this.#process === undefined && !this.#isClosing) this.#startLater(this.#lastEnd!, 0);
  }

  /** Has the worker finish and end; kills it after `killMs`. Rejects where it did not end well. */
  async close({ graceMs, delayMs = 0 }: CloseOptions, killMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child === undefined) return;
    const { worker } = this.#plan;
    const message: Message = { kit: "close", graceMs, delayMs };
    // One that hung up is ending already. A message that does not arrive means the same.
    if (child.connected) child.send(message, () => {});
    const killer = setTimeout(
      () => {
        this.#log.error("A worker did not end and was killed", { worker, pid: child.pid, waitedMs: killMs });
        child.kill("SIGKILL");
      },
      Math.min(killMs, longestTimerMs),
    );
    const end = await this.#ended!;
    clearTimeout(killer);
    if ("error" in end || (end.exitCode !== 0 && !isGroupSignal(end.signal)))
      throw new Error(`Worker ${worker} did not close well: ${describe(end)}`);
  }

  kill(): void {
    this.#process?.kill("SIGKILL");
  }

  #onEnd(end: End): void {
    const livedMs = this.#listensSince === undefined ? 0 : performance.now() - this.#listensSince;
    const pid = this.#process?.pid;
    this.#process = undefined;
    this.#listensSince = undefined;
    this.#lastEnd = end;
    if (this.#isKept && !this.#isClosing) this.#startLater(end, livedMs, pid);
  }

  #startLater(end: End, livedMs: number, pid?: number): void {
    const { worker } = this.#plan;
    const restartInMs = this.#backOff.delayAfter(livedMs);
    const data = { worker, pid, ...end, restartInMs };
    // Whoever sends one a SIGTERM wants it to be another process.
    if ("exitCode" in end && end.exitCode === 0) this.#log.warn(restartMessage, data);
    else this.#log.error(restartMessage, data);
    this.#restart = setTimeout(() => {
      this.#restarts += 1;
      this.start().then(
        () => this.#log.info("A worker listens again", { worker, pid: this.#process?.pid }),
        // Its end is told of, with the next start; this says why.
        (error: unknown) => {
          if (!this.#isClosing) this.#log.error("A worker could not start", { worker, error });
        },
      );
    }, restartInMs);
  }
}

/** Whoever signals the whole group may reach a worker that has closed, in the moment in which Node takes itself down. */
function isGroupSignal(signal: string | null): boolean {
  return signal === "SIGTERM" || signal === "SIGINT";
}

function describe(end: End): string {
  if ("error" in end) return `it could not be started (${end.error.message})`;
  return end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`;
}
