import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Compiler, DevelopmentEvent, ServeRequest } from "@kit/transform-native";
import type { BuildState, ListenAddress } from "@kit/types";

import { AppProcess, type Held, type ProcessEnd, type Program } from "./app-process.ts";
import { defaultHost } from "./allowed-hosts.ts";
import { Terminal } from "./terminal.ts";
import { TypeChecker } from "./type-checker.ts";
import type { Watching } from "./watching.ts";

const unavailable = fileURLToPath(import.meta.resolve("#unavailable"));
/** What a program usually listens on. */
const usualPort = 3000;
const slowStartMs = 10_000;
/** Instrumentation has to be loaded before what it watches, so nothing is loaded ahead of it. */
const instrumentation = /\/node_modules\/@opentelemetry\//;
/** Outside of the project: a package that is linked. */
const elsewhere = /^(?:\.\.\/|\/|[A-Za-z]:)/;
/** Who changes these may have changed what a waiting process has loaded. */
const foundation = /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|kit\.config\.[jt]s|\.env[^/]*)$/;

/** Runs the application under `kit dev`: starts the next process before the last one ends, on the same socket. */
export class Supervisor {
  readonly #compiler: Compiler;
  readonly #watching: Watching;
  readonly #terminal: Terminal;
  readonly #types: TypeChecker;
  readonly #held: Held[] = [];
  /** What the application asks for is not known before it has; this one may have been wrong. */
  #guess: Held | undefined;
  #request!: ServeRequest;
  #isBegun = false;
  /** Answers requests. */
  #current: AppProcess | undefined;
  #isCurrentAnApp = false;
  /** Says why there is no application. */
  #stand: AppProcess | undefined;
  /** Is being started. */
  #next: AppProcess | undefined;
  /** Waits for the next change. */
  #spare: AppProcess | undefined;
  #warm: readonly string[] = [];
  #address: ListenAddress | undefined;
  #changedAt = performance.now();
  /** Files of linked packages that the application has loaded. */
  readonly #linked = new Set<string>();
  readonly #closing = new Set<AppProcess>();
  #isEnding = false;

  constructor(compiler: Compiler, watching: Watching) {
    this.#compiler = compiler;
    this.#watching = watching;
    this.#types = new TypeChecker((end) => watching.tell({ kind: "checked", ...end }));
    watching.onChange = (files) => {
      this.#changedAt = performance.now();
      // What it checks is not what the files say any more, and the next start needs the processor.
      this.#types.stop();
      if (files.some((file) => foundation.test(file) || elsewhere.test(file))) this.#dropSpare();
    };
    this.#terminal = new Terminal({
      r: () => {
        this.#changedAt = performance.now();
        watching.tell({ kind: "rebuild" });
      },
      o: () => this.#address && this.#terminal.open(`${this.#address.url}/docs`),
      q: () => watching.tell({ kind: "quit" }),
    });
  }

  /** Serves what was built, or goes on serving what was; settles when something is to be done. */
  serve(request: ServeRequest): Promise<DevelopmentEvent> {
    this.#request = request;
    if (!this.#isBegun) {
      this.#isBegun = true;
      const port = request.port ?? (Number(process.env["PORT"]) || usualPort);
      this.#guess = this.#hold(request.host ?? (process.env["HOST"] || defaultHost), port);
    }
    if (request.build.status === "built") this.#start();
    else this.#fail(request.build);
    return this.#watching.next();
  }

  /** Ends every process and gives everything back. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#terminal.close();
    this.#spare?.kill();
    this.#next?.kill();
    const processes = [this.#types, this.#current, this.#next, this.#spare, ...this.#closing];
    await Promise.all(processes.map((one) => (one === undefined ? undefined : one.close())));
    for (const held of this.#held.splice(0)) held.release();
  }

  /** Keeps a port from now on, for all processes; nothing where somebody else has it or this system cannot pass it on. */
  #hold(host: string | undefined, port: number): Held | undefined {
    try {
      const socket = new this.#compiler.HeldPort(host ?? null, port);
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
    const next = this.#spare ?? this.#spawn(this.#program());
    this.#spare = undefined;
    this.#next = next;
    next.go(build);
    const slow = setTimeout(() => {
      if (this.#next === next) this.#terminal.warn(`${this.#request.entry} does not listen yet`);
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
    const child: AppProcess = new AppProcess(program, plan, this.#held, {
      place: ({ host, port: wanted, taken }) => this.#place(child, host, wanted, taken),
      listening: (address, imported) => this.#listening(child, isApp, address, imported),
      linked: (files) => this.#link(files),
      answered: (requests) => this.#terminal.requests(requests),
      ended: (end) => this.#ended(child, end),
    });
    return child;
  }

  /** A process wants a socket that is not held. With it, it is started once more. */
  #place(child: AppProcess, host: string | undefined, port: number, taken: number): void {
    if (child.isClosing) return;
    const guess = this.#guess;
    const isAppThere = this.#current !== undefined && this.#current !== this.#stand;
    if (taken === 0 && guess !== undefined && !isAppThere && child === this.#next) {
      void this.#correct(guess, child, host, port);
      return;
    }
    this.#guess = undefined;
    if (child !== this.#next || this.#hold(host, port) === undefined) {
      child.own();
      return;
    }
    child.kill();
    this.#dropSpare();
    this.#start();
  }

  /**
   * Gives a wrong guess back and takes what was wanted in its place. Where somebody stood in, the guess has been listened on, mostly
   * on all addresses; then nobody else gets its port on one of them while a process has it, be it the one that asks.
   */
  async #correct(guess: Held, child: AppProcess, host: string | undefined, port: number): Promise<void> {
    const stand = this.#stand;
    if (this.#current === stand) this.#current = undefined;
    this.#next = undefined;
    this.#dropSpare();
    child.kill();
    this.#retire(child);
    if (stand !== undefined) this.#retire(stand);
    await Promise.all([child.ended, stand?.ended]);
    // What was begun meanwhile has the guess too, and asks by itself.
    if (this.#isEnding || this.#next !== undefined) return;
    this.#held.splice(this.#held.indexOf(guess), 1);
    guess.release();
    this.#guess = undefined;
    // Where somebody else has it, the next process says so.
    this.#hold(host, port);
    this.#start();
  }

  #listening(child: AppProcess, isApp: boolean, address: ListenAddress, imported: readonly string[]): void {
    // A program may listen in several places; the first is enough to go on.
    if (child !== this.#next) return;
    this.#next = undefined;
    const last = this.#current;
    this.#current = child;
    this.#isCurrentAnApp = isApp;
    if (last !== undefined) this.#retire(last);
    if (!isApp) return;
    const tookMs = Math.round(performance.now() - this.#changedAt);
    if (this.#address?.url !== address.url) this.#terminal.address(address.url);
    this.#address = address;
    this.#terminal.ready(tookMs);
    this.#warm = imported.some((url) => instrumentation.test(url)) ? [] : imported;
    this.#spare ??= this.#spawn(this.#program());
    this.#checkTypes();
  }

  /** Checks the types of what was built, once nothing else is to be started. */
  #checkTypes(): void {
    const { build, types, root } = this.#request;
    if (build.status === "built" && types !== null) this.#types.start(types, root);
  }

  #link(files: readonly string[]): void {
    const before = this.#linked.size;
    for (const file of files) this.#linked.add(file);
    if (this.#linked.size > before) this.#watching.also("app", [...this.#linked]);
  }

  #retire(child: AppProcess): void {
    this.#closing.add(child);
    void child.close().then(() => this.#closing.delete(child));
  }

  #ended(child: AppProcess, { description, code, text }: ProcessEnd): void {
    if (this.#isEnding) return;
    if (child === this.#spare) this.#spare = undefined;
    else if (child === this.#stand) {
      // Nobody can stand in for the one that stands in.
      this.#stand = undefined;
      if (child === this.#next) this.#next = undefined;
      if (child === this.#current) this.#current = undefined;
    } else if (child === this.#next) {
      this.#next = undefined;
      // Something of it that is not passed on, another port or a Unix socket, is in use by the process before.
      if (code === "EADDRINUSE" && this.#current !== undefined) void this.#startAfter(this.#current);
      // Nobody can answer requests, not even to say what is wrong.
      else if (code === "EADDRINUSE" && this.#held.length === 0) this.#watching.tell({ kind: "failed" });
      else {
        this.#fail({
          status: "failed",
          text: text ?? `${this.#request.entry} ended before it listened (${description})`,
        });
        this.#checkTypes();
      }
    } else if (child === this.#current && !child.isClosing) {
      this.#current = undefined;
      this.#terminal.crashed(
        `the application ended (${description}); it is started again when a file changes`,
      );
      this.#fail({ status: "failed", text: text ?? `The application ended: ${description}` });
    }
  }

  async #startAfter(child: AppProcess): Promise<void> {
    this.#current = undefined;
    await child.close();
    if (!this.#isEnding && this.#next === undefined) this.#start();
  }

  /** Has whoever answers requests say what is wrong. */
  #fail(build: BuildState): void {
    this.#next?.kill();
    this.#next = undefined;
    if (this.#current !== undefined) {
      this.#current.build(build);
      this.#terminal.note(this.#isCurrentAnApp ? "the last version goes on running" : "waiting for a change");
      return;
    }
    const [held] = this.#held;
    if (held === undefined) return;
    this.#terminal.note("waiting for a change");
    const stand = this.#spawn({
      root: this.#request.root,
      entry: unavailable,
      args: [String(held.port), held.host ?? ""],
      env: process.env,
    });
    this.#next = stand;
    this.#stand = stand;
    stand.go(build);
  }

  #dropSpare(): void {
    const spare = this.#spare;
    this.#spare = undefined;
    spare?.kill();
  }
}
