import { loadModule } from "./load.ts";
import type { Files, WorkerRequest, BuildOutcome } from "./messages.ts";

/** Longest time of a build, in milliseconds. */
export const BUILD_LIMIT = 10_000;

/** The compiler in its worker. */
export class Compiler {
  readonly #module: WebAssembly.Module;
  #worker: Worker | undefined;

  private constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /**
   * Loads the compiler.
   *
   * @param progress - Receives the loaded part of the file, from 0 to 1.
   * @throws {Error} If the file cannot be loaded. The message says what to do.
   */
  static async load(progress: (part: number) => void): Promise<Compiler> {
    const url = new URL(COMPILER_FILE, document.baseURI);
    return new Compiler(await loadModule(url, COMPILER_BYTES, progress));
  }

  /** Builds a project. Only one build may run at a time. */
  async build(files: Files): Promise<BuildOutcome> {
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve } = Promise.withResolvers<BuildOutcome>();
    const onMessage = ({ data }: MessageEvent<BuildOutcome>): void => resolve(data);
    const onError = ({ message }: ErrorEvent): void => {
      // A script that cannot be loaded causes an event without a message.
      const reason = message || "its script could not be loaded. Reload the page";
      resolve({ kind: "failed", message: this.#ended(`The worker failed: ${reason}.`) });
    };
    const timer = setTimeout(() => {
      const limit = `The compiler did not finish within ${BUILD_LIMIT / 1000} s, so the playground ended it.`;
      resolve({
        kind: "failed",
        message: this.#ended(`${limit} Remove the last change, or make the types smaller.`),
      });
    }, BUILD_LIMIT);
    worker.addEventListener("message", onMessage);
    worker.addEventListener("error", onError);
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
      worker.postMessage({ kind: "build", files } satisfies WorkerRequest);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.removeEventListener("message", onMessage);
      worker.removeEventListener("error", onError);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage({ kind: "start", module: this.#module } satisfies WorkerRequest);
    return worker;
  }

  /** Ends the worker and returns the message. The next build starts a new worker. */
  #ended(message: string): string {
    this.#worker?.terminate();
    this.#worker = undefined;
    return message;
  }
}
