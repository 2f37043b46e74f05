import fs from "node:fs";

import { capturedLog } from "./captured-log.ts";

/** Sink for formatted lines. */
export interface LineSink {
  /** Queues a line, without its line feed. Never throws and never blocks. */
  write(line: string): void;
}

/** Functions that write bytes to a file descriptor: the functions of `node:fs`, or replacements in a test. */
export interface Output {
  write(
    descriptor: number,
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ): void;
  writeSync(descriptor: number, bytes: Uint8Array): number;
}

/**
 * Maximum number of UTF-16 code units that wait to be written. A reader that stopped reading, or a full disk, must not
 * exhaust the memory.
 */
const maxPending = 8 * 1024 * 1024;
/** Maximum time in milliseconds without progress while the remaining lines are written at exit. */
const patienceAtExitMs = 2_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));
/**
 * Delay in milliseconds if a non-blocking descriptor accepts no more bytes, and before the first retry of a failed
 * write.
 */
const retryMs = 10;
/** Maximum delay in milliseconds between two retries of a failed write. */
const maxRetryMs = 1_000;
/** Permanent failures: the reader has closed the output, or the descriptor is closed. */
const finalFailures: ReadonlySet<string | undefined> = new Set(["EPIPE", "EBADF"]);
/** Temporary failures that need only another attempt. */
const delays: ReadonlySet<string | undefined> = new Set(["EAGAIN", "EINTR"]);

/**
 * Writes lines to a file descriptor: one write for each turn of the event loop, outside of the event loop's thread.
 * Lines that are still pending when the process exits are written at exit.
 *
 * If a write fails for a reason that may pass, such as a full disk (ENOSPC, EDQUOT) or EIO, the write is
 * retried with increasing delays. Lines above the limit are dropped in the meantime. When writes succeed
 * again, one line reports the number of dropped lines.
 */
export class DescriptorSink implements LineSink {
  readonly #descriptor: number;
  readonly #output: Output;
  #lines: string[] = [];
  #pending = 0;
  #dropped = 0;
  /** Remaining bytes of the current write. */
  #rest: Uint8Array | null = null;
  #scheduled = false;
  #closed = false;
  /** Code of the failure that blocks writing. `undefined` while writes succeed. */
  #failure: string | undefined;
  /** Reason why the entries that {@link #dropped} counts were dropped. */
  #reason: string | undefined;
  #pauseMs = retryMs;

  constructor(descriptor: number, output: Output = fs) {
    this.#descriptor = descriptor;
    this.#output = output;
    process.on("exit", () => this.#flushAtExit());
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#pending + line.length > maxPending) {
      this.#dropped += 1;
      this.#reason ??= this.#failure;
      return;
    }
    this.#lines.push(line);
    this.#pending += line.length;
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#start());
    }
  }

  #take(): Uint8Array {
    if (this.#dropped > 0) {
      const reason = this.#reason;
      const why =
        reason === undefined ? "the reader of the log is too slow" : `writing the log failed with ${reason}`;
      const message = `${this.#dropped} log entries were dropped: ${why}`;
      const level = reason === undefined ? "warn" : "error";
      this.#lines.push(JSON.stringify({ level, message, timestamp: new Date().toISOString() }));
      this.#dropped = 0;
      this.#reason = undefined;
    }
    const text = this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
    this.#lines = [];
    this.#pending = 0;
    return Buffer.from(text);
  }

  #start(): void {
    this.#rest = this.#take();
    this.#continue();
  }

  #continue(): void {
    const rest = this.#rest!;
    if (rest.length === 0) {
      this.#rest = null;
      if (this.#lines.length > 0) this.#start();
      else this.#scheduled = false;
      return;
    }
    this.#output.write(this.#descriptor, rest, (error, written) => {
      if (error === null) {
        this.#failure = undefined;
        this.#pauseMs = retryMs;
        this.#rest = rest.subarray(written);
        this.#continue();
      } else if (finalFailures.has(error.code)) {
        this.#closed = true;
        this.#rest = null;
        this.#lines = [];
      } else if (delays.has(error.code)) {
        setTimeout(() => this.#continue(), retryMs);
      } else {
        this.#failure = error.code ?? error.message;
        // The timer does not keep a process alive that only waits for space on the disk.
        setTimeout(() => this.#continue(), this.#pauseMs).unref();
        this.#pauseMs = Math.min(this.#pauseMs * 2, maxRetryMs);
      }
    });
  }

  #flushAtExit(): void {
    if (this.#closed) return;
    // A pending write on the thread pool may still happen or not. Without writing its bytes again, a line could be
    // lost. With it, a line may appear twice, which is better than a lost error.
    let bytes: Uint8Array = Buffer.concat([this.#rest ?? new Uint8Array(0), this.#take()]);
    let deadline = Date.now() + patienceAtExitMs;
    while (bytes.length > 0 && Date.now() < deadline) {
      try {
        bytes = bytes.subarray(this.#output.writeSync(this.#descriptor, bytes));
        deadline = Date.now() + patienceAtExitMs;
      } catch (error) {
        // At exit, the process does not wait for space on a full disk.
        if (!delays.has((error as NodeJS.ErrnoException).code)) return;
        Atomics.wait(sleeping, 0, 0, retryMs);
      }
    }
  }
}

let stdout: LineSink | undefined;

/**
 * Returns the sink for standard output, which all applications of the process share. While `kit test` captures the log, the sink writes to
 * a file.
 */
export function stdoutSink(): LineSink {
  stdout ??= new DescriptorSink(capturedLog() ?? 1);
  return stdout;
}
