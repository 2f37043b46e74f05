import fs from "node:fs";

/** Takes finished lines. */
export interface LineSink {
  /** Queues a line, without its line feed. Never throws and never blocks. */
  write(line: string): void;
}

/** Writes bytes to a descriptor: `node:fs`, or a test's own. */
export interface Output {
  write(
    descriptor: number,
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ): void;
  writeSync(descriptor: number, bytes: Uint8Array): number;
}

/** Number of UTF-16 units that may wait to be written; a reader that stopped reading, or a full disk, must not fill the process's memory. */
const maxPending = 8 * 1024 * 1024;
/** How long a reader may take nothing at all before what is left at exit is given up. */
const patienceAtExitMs = 2_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));
/** Milliseconds to wait if a non-blocking descriptor takes no more, and before the first retry of a write that failed. */
const retryMs = 10;
/** The longest pause between two tries of a write that fails. */
const maxRetryMs = 1_000;
/** Failures that last: the reader is gone, or the descriptor is closed. There is nobody left to write for. */
const finalFailures: ReadonlySet<string | undefined> = new Set(["EPIPE", "EBADF"]);
/** Failures that say "later": they are no fault of what the log is written to. */
const delays: ReadonlySet<string | undefined> = new Set(["EAGAIN", "EINTR"]);

/**
 * Writes lines to a file descriptor, in one piece for each turn of the event loop, off the event loop's thread. Lines that are
 * still pending when the process exits are written then.
 *
 * A write that fails because a disk is full (ENOSPC, EDQUOT), or for any other reason that may pass (EIO, EINTR), is tried again with
 * growing pauses. Lines beyond a bound are dropped meanwhile, and counted in a line of their own once writing works again.
 */
export class DescriptorSink implements LineSink {
  readonly #descriptor: number;
  readonly #output: Output;
  #lines: string[] = [];
  #pending = 0;
  #dropped = 0;
  /** What the write under way still has to write. */
  #rest: Uint8Array | null = null;
  #scheduled = false;
  #closed = false;
  /** The code of the failure since which nothing could be written; nothing while writing works. */
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
        // A process that has nothing else to do need not wait for a disk with room.
        setTimeout(() => this.#continue(), this.#pauseMs).unref();
        this.#pauseMs = Math.min(this.#pauseMs * 2, maxRetryMs);
      }
    });
  }

  #flushAtExit(): void {
    if (this.#closed) return;
    // A write under way on the thread pool may or may not happen any more: without this a line could be lost, with it
    // one may be doubled. A lost error is worse.
    let bytes: Uint8Array = Buffer.concat([this.#rest ?? new Uint8Array(0), this.#take()]);
    let deadline = Date.now() + patienceAtExitMs;
    while (bytes.length > 0 && Date.now() < deadline) {
      try {
        bytes = bytes.subarray(this.#output.writeSync(this.#descriptor, bytes));
        deadline = Date.now() + patienceAtExitMs;
      } catch (error) {
        // A disk that is full now is not waited for: the process is to end.
        if (!delays.has((error as NodeJS.ErrnoException).code)) return;
        Atomics.wait(sleeping, 0, 0, retryMs);
      }
    }
  }
}

let stdout: LineSink | undefined;

/** The process's standard output, one sink for all applications of the process. */
export function stdoutSink(): LineSink {
  stdout ??= new DescriptorSink(1);
  return stdout;
}
