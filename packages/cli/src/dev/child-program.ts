import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";

const isWindows = process.platform === "win32";

/** End of a program: its exit code or signal, as words. */
export interface ProgramEnd {
  readonly isSuccess: boolean;
  readonly description: string;
}

/** Program with its own process group, so that programs which it starts end with it. */
export class ChildProgram {
  /** Resolves when the program has ended. */
  readonly ended: Promise<ProgramEnd>;
  readonly process: ChildProcess;

  constructor(
    program: string,
    args: readonly string[],
    options: {
      readonly cwd: string;
      readonly env: NodeJS.ProcessEnv;
      readonly stdio: StdioOptions;
    },
  ) {
    this.process = spawn(program, args, { ...options, detached: !isWindows });
    this.ended = new Promise((resolve) => {
      this.process.on("error", (error) => {
        if (this.process.pid === undefined) resolve({ isSuccess: false, description: error.message });
      });
      this.process.on("close", (code, signal) =>
        resolve({
          isSuccess: code === 0,
          description: signal === null ? `exit code ${code}` : `signal ${signal}`,
        }),
      );
    });
  }

  /** True if the program could not be started, because it is not installed. */
  get isMissing(): boolean {
    return this.process.pid === undefined;
  }

  /** Sends a signal to the program and to all programs that it has started. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      if (isWindows) this.process.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The program has ended.
    }
  }

  /** Asks the program to end, and kills it after this time. Resolves when it has ended. */
  async close(patienceMs: number): Promise<void> {
    this.kill("SIGTERM");
    const killer = setTimeout(() => this.kill("SIGKILL"), patienceMs);
    await this.ended;
    clearTimeout(killer);
  }
}
