import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Api } from "./api.ts";
import { baseEnvironment } from "./command.ts";
import { server } from "./server.ts";

/** Options of an application's start. */
export interface StartOptions {
  /** Value of `NODE_ENV`. Default: `development`. */
  mode?: "development" | "production";
  env?: Readonly<Record<string, string>>;
  /** Path of a program that is started instead of the server that this run tests. */
  program?: string;
  /** Arguments for Node. Default: `src/main.ts`. */
  args?: readonly string[];
  /** User and group of the process. Default: those of the tests. */
  uid?: number;
}

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 15_000;

const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Process of an example's server. */
export class RunningApp {
  /** URL of the server, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #output: Output;

  private constructor(child: ChildProcess, output: Output, url: string) {
    this.#child = child;
    this.#output = output;
    this.url = url;
    this.port = Number(new URL(url).port);
  }

  /** Starts the application on a free port and waits until it prints its address. */
  static async start(root: string, options: StartOptions): Promise<RunningApp> {
    const { program = server.program, args = program === undefined ? ["src/main.ts"] : [] } = options;
    const child = spawn(program ?? process.execPath, args, {
      cwd: root,
      env: {
        ...baseEnvironment(),
        NODE_ENV: options.mode ?? "development",
        PORT: "0",
        HOST: "127.0.0.1",
        DEBUG_PORT: "0",
        ...server.env,
        ...options.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    alive.add(child);
    child.once("exit", () => alive.delete(child));
    const output = new Output(child);
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      const url = /^Listening on (http:\S+)$/m.exec(output.stdout)?.[1];
      if (url !== undefined) return new RunningApp(child, output, url);
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill("SIGKILL");
        throw new Error(`the application did not start:\n${output.stdout}${output.stderr}`);
      }
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }

  /** Number of the process, for its files in `/proc`. */
  get pid(): number {
    return this.#child.pid!;
  }

  /** Returns a client that sends the access token of a user. */
  as(user: string, role = "user"): Api {
    return new Api(this.url, { authorization: `Bearer ${user}:${role}` });
  }

  /** Returns a client that sends exactly these headers. */
  with(headers: Readonly<Record<string, string>>): Api {
    return new Api(this.url, headers);
  }

  /** Waits until the debug sidecar listens. Returns its port. */
  async debugPort(): Promise<number> {
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      const port = /The debug sidecar listens on http:\/\/[^:]+:(\d+)/.exec(this.#output.stdout)?.[1];
      if (port !== undefined) return Number(port);
      if (Date.now() > deadline) throw new Error(`there is no debug sidecar:\n${this.#output.stdout}`);
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }

  /** Returns the standard output so far. */
  get stdout(): string {
    return this.#output.stdout;
  }

  /** Returns the standard error so far. */
  get stderr(): string {
    return this.#output.stderr;
  }

  /** Sends a signal and waits until the application exits. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<{ code: number | null; signal: string | null }> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_WITHIN_MS);
    await this.#end(signal);
    clearTimeout(timer);
    return { code: this.#child.exitCode, signal: this.#child.signalCode };
  }

  /** Sends a signal. */
  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the application. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill(signal);
    await exited;
  }
}

/** Output of a process. */
class Output {
  stdout = "";
  stderr = "";

  constructor(child: ChildProcess) {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }
}
