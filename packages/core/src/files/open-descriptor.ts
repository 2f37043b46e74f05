import { type BigIntStats, close, fstat, open, read, readlink, realpath } from "node:fs";

/** Ignores the error of closing a file that was only read. */
const ignore = (): void => undefined;

/**
 * File that is open for reading. The class uses the callbacks of `node:fs`, because its promises and `FileHandle` take about
 * twice the time.
 */
export class OpenDescriptor {
  readonly #fd: number;
  #isReading = false;
  #isClosed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Opens a file. Rejects with the error of the file system. */
  static open(path: string, flags: number): Promise<OpenDescriptor> {
    return new Promise((resolve, reject) => {
      open(path, flags, (error, fd) => (error === null ? resolve(new OpenDescriptor(fd)) : reject(error)));
    });
  }

  stat(): Promise<BigIntStats> {
    return new Promise((resolve, reject) => {
      fstat(this.#fd, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)));
    });
  }

  /** Returns the path of the open file without symbolic links. `path` is the path with which it was opened. */
  realPath(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, real: string): void =>
        error === null ? resolve(real) : reject(error);
      if (process.platform !== "linux") return realpath(path, settle);
      // The link names the file that is open, even if somebody replaces a directory of the path in the meantime. It is absent
      // only if the file system /proc is not mounted.
      readlink(`/proc/self/fd/${this.#fd}`, (error, real) =>
        error === null ? resolve(real) : realpath(path, settle),
      );
    });
  }

  /**
   * Reads at least one byte, usually `length` bytes.
   *
   * @throws {Error} If the file ends before the position.
   */
  read(position: number, length: number): Promise<Uint8Array> {
    this.#isReading = true;
    return new Promise((resolve, reject) => {
      read(this.#fd, Buffer.allocUnsafe(length), 0, length, position, (error, bytes, buffer) => {
        this.#isReading = false;
        if (this.#isClosed) close(this.#fd, ignore);
        if (error !== null) reject(error);
        else if (bytes === 0) reject(new Error("The file became shorter while it was sent"));
        else resolve(bytes === length ? buffer : buffer.subarray(0, bytes));
      });
    });
  }

  /** Closes the file, after a read in progress. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#isReading) close(this.#fd, ignore);
  }
}
