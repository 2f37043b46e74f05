import { type ChildProcess, spawn } from "node:child_process";

import type { RespondedRequest, BuildState, ListenAddress } from "@kit/types";

import { type Order, planVariable, type ProcessPlan, type Report, type TlsFiles } from "./messages.ts";

/** Functions to call for events of a process. */
export interface ProcessEvents {
  requestSocket(asked: Extract<Report, { kit: "requestSocket" }>): void;
  listening(address: ListenAddress, imported: readonly string[], tls: TlsFiles | undefined): void;
  linked(files: readonly string[]): void;
  answered(requests: readonly RespondedRequest[]): void;
  /**
   * Called when the process has exited. `text` describes the exception that ended the process. It is
   * `undefined` if there was no exception.
   */
  ended(end: ProcessEnd): void;
}

/** Reason why a process ended. */
export interface ProcessEnd {
  readonly description: string;
  readonly code: string | undefined;
  readonly text: string | undefined;
}

/** Program that a process runs, with its arguments and environment. */
export interface Program {
  readonly root: string;
  readonly entry: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const linkModule = import.meta.resolve("#application-link");
/**
 * Time after which a closing process is killed, in milliseconds. An application in development normally
 * closes much faster.
 */
const killMs = 8_000;
/** First file descriptor after the standard streams and the IPC channel. */
const firstFd = 4;

/**
 * Process of the application. It loads modules when it is created, but does not run the program before {@link go} is
 * called.
 */
export class AppProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #crash: Extract<Report, { kit: "crashed" }> | undefined;
  #isClosing = false;
  #killer: NodeJS.Timeout | undefined;

  /** Starts the process. It inherits the sockets in `held`, in this order. */
  constructor(
    program: Program,
    plan: Omit<ProcessPlan, "held">,
    held: readonly SupervisorSocket[],
    events: ProcessEvents,
  ) {
    const itsPlan: ProcessPlan = {
      ...plan,
      held: held.map(({ host, port }, index) => ({ host, port, fd: firstFd + index })),
    };
    this.#child = spawn(process.execPath, ["--import", linkModule, program.entry, ...program.args], {
      cwd: program.root,
      env: { ...program.env, [planVariable]: JSON.stringify(itsPlan) },
      stdio: ["ignore", "inherit", "inherit", "ipc", ...held.map(({ fd }) => fd)],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#child.on("message", (report: Report) => {
      if (report.kit === "requestSocket") events.requestSocket(report);
      else if (report.kit === "listening") events.listening(report.address, report.imported, report.tls);
      else if (report.kit === "linked") events.linked(report.files);
      else if (report.kit === "answered") events.answered(report.requests);
      else this.#crash = report;
    });
    const end = (description: string): void => {
      clearTimeout(this.#killer);
      resolve();
      events.ended({ description, code: this.#crash?.code, text: this.#crash?.text });
    };
    this.#child.on("error", (error) => {
      if (this.#child.pid === undefined) end(error.message);
    });
    // Uses `close` and not `exit`, because all messages of the process have arrived when `close` is emitted.
    this.#child.on("close", (code, signal) =>
      end(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  go(build: BuildState): void {
    this.#send({ kit: "go", build });
  }

  build(build: BuildState): void {
    this.#send({ kit: "build", build });
  }

  openYourself(): void {
    this.#send({ kit: "openYourself" });
  }

  /** Asks the process to finish its requests and exit. Resolves when it has exited. */
  close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#send({ kit: "close" });
      this.#killer = setTimeout(() => this.kill(), killMs);
    }
    return this.ended;
  }

  kill(): void {
    this.#isClosing = true;
    this.#child.kill("SIGKILL");
  }

  #send(order: Order): void {
    // A process whose channel is disconnected is exiting. `ended` reports its end.
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }
}

/** Socket that `kit dev` keeps open for all processes of the application. */
export interface SupervisorSocket {
  readonly host: string | undefined;
  readonly port: number;
  /** File descriptor in the process of `kit dev`. */
  readonly fd: number;
  release(): void;
}
