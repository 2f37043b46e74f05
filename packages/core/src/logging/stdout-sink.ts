import fs from "node:fs";

/** Takes finished lines. */
export interface LineSink {
  /** Queues a line, without its line feed. Never throws and never blocks. */
  write(line: string): void;
}

/** What may wait to be written; a reader that stopped reading must not fill the process's memory. */
const maxPending = 8 * 1024 * 1024;
/** How long a reader may take nothing at all before what is left at exit is given up. */
const patienceAtExitMs = 2_000;
const sleeping = new Int32Array(new SharedArrayBuffer(4));
/** How long to wait where a non-blocking descriptor takes no more. */
const retryMs = 10;

/**
 * Lines to a file descriptor, written in one piece for each turn of the event loop, off the event loop's thread. What is
 * still pending when the process exits is written then. Entries beyond a bound are dropped, and counted in a line
 * of their own.
 */
export class DescriptorSink implements LineSink {
  readonly #descriptor: number;
  #lines: string[] = [];
  #pending = 0;
  #dropped = 0;
  /** What the write under way still has to write. */
  #rest: Uint8Array | null = null;
  #scheduled = false;
  #closed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    process.on("exit", () => this.#flushAtExit());
  }

  write(line: string): void {
    if (this.#closed) return;
    if (this.#pending + line.length > maxPending) {
      this.#dropped += 1;
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
      const message = `${this.#dropped} log entries were dropped: the reader of the log is too slow`;
      this.#lines.push(JSON.stringify({ level: "warn", message, timestamp: new Date().toISOString() }));
      this.#dropped = 0;
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
    fs.write(this.#descriptor, rest, (error, written) => {
      if (error === null) {
        this.#rest = rest.subarray(written);
        this.#continue();
      } else if (error.code === "EAGAIN") {
        setTimeout(() => this.#continue(), retryMs);
      } else {
        // The reader is gone for good (EPIPE, EBADF): there is nobody left to tell.
        this.#closed = true;
        this.#rest = null;
        this.#lines = [];
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
        bytes = bytes.subarray(fs.writeSync(this.#descriptor, bytes));
        deadline = Date.now() + patienceAtExitMs;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
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
