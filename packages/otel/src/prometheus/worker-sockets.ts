import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Family } from "./families.ts";

const ending = ".sock";
/** Maximum duration in milliseconds in which another process must send its metrics. */
const timeoutMs = 2_000;

/** Unix sockets on which the processes of an application send their metrics to each other. */
export class WorkerSockets {
  readonly #directory: string;
  /** Path of the socket of this process. */
  readonly path: string;

  /**
   * Creates the directory of the sockets, to which only this user has access.
   *
   * @param group - Secret that the processes of the application share.
   * @throws {Error} If the directory belongs to another user or cannot be created.
   */
  constructor(group: string, worker: number) {
    // The path of a socket has at most 104 bytes on macOS, whose temporary directory has a long path.
    this.#directory = join(tmpdir(), `kit-metrics-${group.slice(0, 8)}`);
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(this.#directory);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o77) !== 0))
      throw new Error(`other users have access to ${this.#directory}`);
    this.path = join(this.#directory, `${worker}${ending}`);
    // A killed worker leaves its socket behind. The worker that replaces it has the same number.
    rmSync(this.path, { force: true });
  }

  /** Returns the metrics of each other process that sends them in time. */
  async readOthers(): Promise<Family[][]> {
    const paths = this.#sockets().filter((path) => path !== this.path);
    const results = await Promise.allSettled(paths.map(readSocket));
    return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  /** Returns the paths of all sockets. Returns none if another program has removed the directory, for example to tidy up. */
  #sockets(): string[] {
    try {
      const names = readdirSync(this.#directory).filter((name) => name.endsWith(ending));
      return names.map((name) => join(this.#directory, name));
    } catch {
      return [];
    }
  }

  /** Removes the socket of this process. The last process removes the directory. */
  remove(): void {
    rmSync(this.path, { force: true });
    try {
      rmdirSync(this.#directory);
    } catch {
      // Another process still has a socket in the directory, or has removed the directory.
    }
  }
}

/** Rejects if the process has ended, or does not respond in time. */
async function readSocket(socketPath: string): Promise<Family[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Family[]>();
  const request = get({ socketPath, path: "/", signal: AbortSignal.timeout(timeoutMs) }, (response) => {
    const chunks = response.toArray() as Promise<Buffer[]>;
    resolve(chunks.then((all) => JSON.parse(Buffer.concat(all).toString()) as Family[]));
  });
  request.on("error", reject);
  return promise;
}
