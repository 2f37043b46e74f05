import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Compiler, DevelopmentEvent, ServeRequest } from "@kit/transform-native";
import type { BuildState, ListenAddress } from "@kit/types";

import { AppProcess, type SupervisorSocket, type ProcessEnd, type Program } from "./app-process.ts";
import { defaultHost } from "./allowed-hosts.ts";
import type { TlsFiles } from "./messages.ts";
import { Terminal } from "./terminal.ts";
import { TypeChecker } from "./type-checker.ts";
import { WorkerProgram } from "./worker-program.ts";
import type { EventQueue } from "./event-queue.ts";

const unavailable = fileURLToPath(import.meta.resolve("#unavailable"));
/** Port that most programs listen on, and the first guess for the application's port. */
const usualPort = 3000;
const slowStartMs = 10_000;
/**
 * Matches instrumentation of OpenTelemetry, which must be loaded before the modules that it observes. If the
 * program imports instrumentation, no module is loaded in advance.
 */
const instrumentation = /\/node_modules\/@opentelemetry\//;
/** Matches paths outside of the project's root, which are files of linked packages. */
const elsewhere = /^(?:\.\.\/|\/|[A-Za-z]:)/;
/** Matches files that may affect the modules which a spare process has already loaded. */
const foundation = /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|kit\.config\.[jt]s|\.env[^/]*)$/;

/**
 * Runs the application under `kit dev`. After a build, the supervisor starts a new process on the same socket, and ends the previous
 * process when the new process listens.
 */
export class Supervisor {
  readonly #compiler: Compiler;
  readonly #queue: EventQueue;
  readonly #terminal: Terminal;
  readonly #types: TypeChecker;
  readonly #worker: WorkerProgram;
  readonly #held: SupervisorSocket[] = [];
  /**
   * Socket for the address that the application will probably listen on. The real address is known only when the application calls
   * `listen`.
   */
  #guess: SupervisorSocket | undefined;
  #request!: ServeRequest;
  #isBegun = false;
  /** Process that responds to requests: the application, or the stand-in process. */
  #current: AppProcess | undefined;
  #isCurrentAnApp = false;
  /** Stand-in process: it listens on the application's port while the application cannot run, and explains the reason. */
  #fallback: AppProcess | undefined;
  /** Process that has been started and does not listen yet. */
  #next: AppProcess | undefined;
  /**
   * Process for the next version of the application. The process has loaded its modules, and waits until the next build to run the
   * program.
   */
  #spareProcess: AppProcess | undefined;
  #warm: readonly string[] = [];
  #address: ListenAddress | undefined;
  /** Files of TLS of the application, which the stand-in process uses too. */
  #tls: TlsFiles | undefined;
  #changedAt = performance.now();
  /** Files of linked packages that the application has loaded. */
  readonly #linked = new Set<string>();
  readonly #closing = new Set<AppProcess>();
  #isEnding = false;

  constructor(compiler: Compiler, queue: EventQueue) {
    this.#compiler = compiler;
    this.#queue = queue;
    this.#types = new TypeChecker((end) => queue.deliver({ kind: "checked", ...end }));
    this.#worker = new WorkerProgram((description) =>
      this.#terminal.warn(
        `the worker ended (${description}); kit dev starts the worker again when a file changes`,
      ),
    );
    queue.onChange = (files) => {
      this.#changedAt = performance.now();
      // The type check is out of date, and the next build and start need the processor.
      this.#types.stop();
      if (files.some((file) => foundation.test(file) || elsewhere.test(file))) this.#dropSpare();
    };
    this.#terminal = new Terminal({
      r: () => {
        this.#changedAt = performance.now();
        queue.deliver({ kind: "rebuild" });
      },
      o: () => this.#address && this.#terminal.open(`${this.#address.url}/docs`),
      q: () => queue.deliver({ kind: "quit" }),
    });
  }

  /**
   * Starts the application if the build succeeded. If the build failed, the previous version keeps running. Then waits for the
   * next event, such as a changed file, and resolves to it.
   */
  serve(request: ServeRequest): Promise<DevelopmentEvent> {
    this.#request = request;
    if (!this.#isBegun) {
      this.#isBegun = true;
      const port = request.port ?? (Number(process.env["PORT"]) || usualPort);
      this.#guess = this.#hold(request.host ?? (process.env["HOST"] || defaultHost), port);
    }
    if (request.build.status === "built") this.#start();
    else this.#fail(request.build);
    return this.#queue.next();
  }

  /** Ends all processes and releases all sockets. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#terminal.close();
    this.#spareProcess?.kill();
    this.#next?.kill();
    const processes = [
      this.#types,
      this.#worker,
      this.#current,
      this.#next,
      this.#spareProcess,
      ...this.#closing,
    ];
    await Promise.all(processes.map((one) => (one === undefined ? undefined : one.close())));
    for (const held of this.#held.splice(0)) held.release();
  }

  /**
   * Opens a socket that all processes of the application inherit. Returns `undefined` if another program uses the port, or if the operating
   * system cannot pass sockets to other processes.
   */
  #hold(host: string | undefined, port: number): SupervisorSocket | undefined {
    try {
      const socket = new this.#compiler.SharedListener(host ?? null, port);
      const held = { host, port, fd: socket.fd, release: () => socket.release() };
      this.#held.push(held);
      return held;
    } catch {
      return undefined;
    }
  }

  #start(): void {
    const { build } = this.#request;
    this.#next?.kill();
    const next = this.#spareProcess ?? this.#spawn(this.#program());
    this.#spareProcess = undefined;
    this.#next = next;
    next.go(build);
    // Both processes accept connections until the new one has started, so both must know the result of the build.
    if (this.#isCurrentAnApp) this.#current?.build(build);
    const slow = setTimeout(() => {
      if (this.#next === next) this.#terminal.warn(`${this.#request.entry} is not listening yet`);
    }, slowStartMs);
    void next.ended.then(() => clearTimeout(slow));
  }

  #program(): Program {
    const { root, entry, databaseUrl } = this.#request;
    const env = {
      ...process.env,
      NODE_ENV: process.env["NODE_ENV"] || "development",
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    };
    return { root, entry: join(root, entry), args: [], env };
  }

  #spawn(program: Program): AppProcess {
    const { root, port, host: wantedHost, allowedHosts } = this.#request;
    const cache = join(root, "node_modules", ".cache", "kit");
    if (existsSync(join(root, "node_modules"))) mkdirSync(cache, { recursive: true });
    const plan = {
      port: port ?? undefined,
      host: wantedHost ?? undefined,
      allowedHosts,
      lines: this.#terminal.isShown,
      types: /\.[cm]?ts$/.test(program.entry),
      warm: program.entry === unavailable ? [] : this.#warm,
      root: `${pathToFileURL(root).href}/`,
      cache,
    };
    const isApp = program.entry !== unavailable;
    // A report may arrive after `close` was called. A process or type check that it starts would keep `kit dev` running.
    const unlessEnding =
      <Arguments extends unknown[]>(handle: (...args: Arguments) => void) =>
      (...args: Arguments): void => {
        if (!this.#isEnding) handle(...args);
      };
    const child: AppProcess = new AppProcess(program, plan, this.#held, {
      requestSocket: unlessEnding(({ host, port: wanted, taken }) => this.#place(child, host, wanted, taken)),
      listening: unlessEnding((address, imported, tls) =>
        this.#listening(child, isApp, address, imported, tls),
      ),
      linked: unlessEnding((files) => this.#link(files)),
      answered: (requests) => this.#terminal.requests(requests),
      ended: unlessEnding((end) => this.#ended(child, end)),
    });
    return child;
  }

  /** Handles a process that listens on an address for which it has inherited no socket: opens the socket and starts the process again. */
  #place(child: AppProcess, host: string | undefined, port: number, taken: number): void {
    if (child.isClosing) return;
    const guess = this.#guess;
    const isAppThere = this.#current !== undefined && this.#current !== this.#fallback;
    if (taken === 0 && guess !== undefined && !isAppThere && child === this.#next) {
      void this.#replaceGuess(guess, child, host, port);
      return;
    }
    this.#guess = undefined;
    if (child !== this.#next || this.#hold(host, port) === undefined) {
      child.openYourself();
      return;
    }
    child.kill();
    this.#dropSpare();
    this.#start();
  }

  /**
   * Closes the socket on the guessed address, and opens a socket on the requested address. The stand-in
   * process may have listened on the guessed address, and the requesting process has inherited its socket. No
   * other socket can use the port until these two processes have ended.
   */
  async #replaceGuess(
    guess: SupervisorSocket,
    child: AppProcess,
    host: string | undefined,
    port: number,
  ): Promise<void> {
    const fallback = this.#fallback;
    if (this.#current === fallback) this.#current = undefined;
    this.#next = undefined;
    this.#dropSpare();
    child.kill();
    this.#retire(child);
    if (fallback !== undefined) this.#retire(fallback);
    await Promise.all([child.ended, fallback?.ended]);
    // A process that was started in the meantime has inherited the wrong socket too. It requests another one itself.
    if (this.#isEnding || this.#next !== undefined) return;
    this.#held.splice(this.#held.indexOf(guess), 1);
    guess.release();
    this.#guess = undefined;
    // If another program uses the port, the next process reports that.
    this.#hold(host, port);
    this.#start();
  }

  #listening(
    child: AppProcess,
    isApp: boolean,
    address: ListenAddress,
    imported: readonly string[],
    tls: TlsFiles | undefined,
  ): void {
    // A program may listen on several addresses. Only the first one counts.
    if (child !== this.#next) return;
    this.#next = undefined;
    const last = this.#current;
    this.#current = child;
    this.#isCurrentAnApp = isApp;
    if (last !== undefined) this.#retire(last);
    if (!isApp) return;
    const tookMs = Math.round(performance.now() - this.#changedAt);
    if (this.#address?.url !== address.url) {
      this.#terminal.address(address.url);
      if (tls !== undefined) this.#terminal.certificate(tls.cert);
    }
    this.#address = address;
    this.#tls = tls;
    this.#terminal.ready(tookMs);
    this.#warm = imported.some((url) => instrumentation.test(url)) ? [] : imported;
    this.#spareProcess ??= this.#spawn(this.#program());
    const { worker, root } = this.#request;
    // The application may listen after `kit dev` was asked to end.
    if (!this.#isEnding)
      this.#worker.replace(worker === null ? null : { ...this.#program(), entry: join(root, worker) });
    this.#checkTypes();
  }

  /** Starts the type check of a successful build. Called when no process is being started. */
  #checkTypes(): void {
    const { build, types, root } = this.#request;
    if (build.status === "built" && types !== null) this.#types.start(types, root);
  }

  #link(files: readonly string[]): void {
    const before = this.#linked.size;
    for (const file of files) this.#linked.add(file);
    if (this.#linked.size > before) this.#queue.watchAlso("app", [...this.#linked]);
  }

  #retire(child: AppProcess): void {
    this.#closing.add(child);
    void child.close().then(() => this.#closing.delete(child));
  }

  #ended(child: AppProcess, { description, code, text }: ProcessEnd): void {
    if (child === this.#spareProcess) this.#spareProcess = undefined;
    else if (child === this.#fallback) {
      // The stand-in process has ended, and nothing can replace it.
      this.#fallback = undefined;
      if (child === this.#next) this.#next = undefined;
      if (child === this.#current) this.#current = undefined;
    } else if (child === this.#next) {
      this.#next = undefined;
      // The process needs an address that cannot be shared, such as a Unix socket, and the previous process still uses it.
      if (code === "EADDRINUSE" && this.#current !== undefined) void this.#startAfter(this.#current);
      // No process can respond to requests, so `kit dev` ends with an error.
      else if (code === "EADDRINUSE" && this.#held.length === 0) this.#queue.deliver({ kind: "failed" });
      else {
        this.#fail({
          status: "failed",
          text:
            text ?? `${this.#request.entry} ended before the application listened on a port (${description})`,
        });
        this.#checkTypes();
      }
    } else if (child === this.#current && !child.isClosing) {
      this.#current = undefined;
      this.#terminal.crashed(
        `the application ended (${description}); kit dev starts the application again when a file changes`,
      );
      this.#fail({ status: "failed", text: text ?? `The application ended: ${description}` });
    }
  }

  async #startAfter(child: AppProcess): Promise<void> {
    this.#current = undefined;
    await child.close();
    if (!this.#isEnding && this.#next === undefined) this.#start();
  }

  /**
   * Makes the process that responds to requests report the failed build. Starts the stand-in process if no
   * process responds.
   */
  #fail(build: BuildState): void {
    this.#next?.kill();
    this.#next = undefined;
    if (this.#current !== undefined) {
      this.#current.build(build);
      this.#terminal.note(this.#isCurrentAnApp ? "the last version keeps running" : "waiting for a change");
      return;
    }
    const [held] = this.#held;
    if (held === undefined) return;
    this.#terminal.note("waiting for a change");
    const fallback = this.#spawn({
      root: this.#request.root,
      entry: unavailable,
      args: [
        String(held.port),
        held.host ?? "",
        ...(this.#tls === undefined ? [] : [this.#tls.cert, this.#tls.key]),
      ],
      env: process.env,
    });
    this.#next = fallback;
    this.#fallback = fallback;
    fallback.go(build);
  }

  #dropSpare(): void {
    const spare = this.#spareProcess;
    this.#spareProcess = undefined;
    spare?.kill();
  }
}
