import { format } from "node:util";

/** Maximum time that a configuration may take to load while kit serves an editor or an agent. */
const loadMs = 10_000;

/**
 * Protects a command that speaks a protocol on standard output from code of the project. Text that this code writes to standard output
 * goes to standard error, `process.exit` throws, and errors that nobody handles are written to standard error.
 */
export class ProtocolGuard {
  readonly #write = process.stdout.write;
  readonly #exit = process.exit;

  constructor() {
    process.stdout.write = process.stderr.write.bind(process.stderr);
    process.exit = (code) => {
      throw new Error(`process.exit(${format(code ?? "")}) was called, which would end the server`);
    };
    process.on("uncaughtException", this.#report);
  }

  readonly #report = (error: unknown): void => {
    process.stderr.write(`error: code of the project threw an error that nobody handled: ${format(error)}\n`);
  };

  /** Rejects if the promise does not settle in time. */
  async limited<T>(promise: Promise<T>, name: string): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const tooLate = (): void => reject(new Error(`${name} did not finish loading within ${loadMs / 1000} s`));
    const timer = setTimeout(tooLate, loadMs);
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the protection. */
  end(): void {
    process.off("uncaughtException", this.#report);
    process.stdout.write = this.#write;
    process.exit = this.#exit;
  }
}
