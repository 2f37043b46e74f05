import { randomBytes } from "node:crypto";
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { resolve as resolvePath } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

import type { DevelopmentEvent, ServeRequest } from "@kit/transform-native";
import type { BuildState } from "@kit/types";

import { defaultHost } from "./allowed-hosts.ts";
import { ChildProgram, type ProgramEnd } from "./child-program.ts";
import type { EventQueue } from "./event-queue.ts";
import { Gate } from "./gate.ts";
import type { TlsFiles } from "./messages.ts";
import { type BuiltProgram, CargoOutput } from "./rust-errors.ts";
import { Terminal } from "./terminal.ts";

/** Port that most programs listen on. */
const usualPort = 3000;
/** Time that the server may take to finish its requests, in milliseconds. */
const patienceMs = 8_000;
/** Time that cargo may take to end, in milliseconds. */
const cargoPatienceMs = 2_000;
/** Time between two attempts to connect to a server that starts, in milliseconds. */
const attemptMs = 20;
/** Time that a server may take to respond to the question if it knows `kit dev`, in milliseconds. */
const questionMs = 10_000;
/** Time after which the terminal says that the server does not listen yet, in milliseconds. */
const slowStartMs = 10_000;
/** Maximum number of characters of the server's errors that the stand-in shows. */
const longestText = 16 * 1024;

/**
 * Runs a server in Rust under `kit dev`: builds it with cargo after each edit, and starts the new version. The last version responds until
 * the new one listens.
 */
export class RustSupervisor {
  readonly #queue: EventQueue;
  readonly #terminal: Terminal;
  /** Secret by which the server recognizes the connections from this process. */
  readonly #token = randomBytes(24).toString("hex");
  #gate: Gate | undefined;
  #request!: ServeRequest;
  /** Host and port of the application, as users type them. */
  #shownHost = "";
  #url = "";
  /** Server that responds to requests. */
  #current: ChildProgram | undefined;
  /** Environment of the current server. */
  #env = "";
  /** Cargo, or the server that starts. */
  #work: AbortController | undefined;
  /** Programs that have not ended yet. */
  readonly #programs = new Set<ChildProgram>();
  #changedAt = performance.now();

  constructor(queue: EventQueue) {
    this.#queue = queue;
    queue.onChange = () => {
      this.#changedAt = performance.now();
    };
    this.#terminal = new Terminal({
      r: () => {
        this.#changedAt = performance.now();
        queue.deliver({ kind: "rebuild" });
      },
      o: () => this.#terminal.open(`${this.#url}/docs`),
      q: () => queue.deliver({ kind: "quit" }),
    });
  }

  /** Builds and starts the server if the build of kit succeeded. Then waits for the next event, and resolves to it. */
  async serve(request: ServeRequest): Promise<DevelopmentEvent> {
    this.#request = request;
    if (this.#gate === undefined && !(await this.#open(request))) return { kind: "failed" };
    this.#work?.abort();
    if (request.build.status === "built") {
      const work = new AbortController();
      this.#work = work;
      void this.#build(work.signal).catch((error: unknown) => {
        if (!work.signal.aborted) this.#fail({ status: "failed", text: String(error) });
      });
    } else this.#fail(request.build);
    return await this.#queue.next();
  }

  /** Ends cargo and the server, and stops listening. */
  async close(): Promise<void> {
    this.#terminal.close();
    this.#work?.abort();
    // The server ends on purpose. A second signal would end it before its requests are completed, so only `program.close` sends one.
    this.#current = undefined;
    await Promise.all([...this.#programs].map((program) => program.close(patienceMs)));
    await this.#gate?.close();
  }

  /** Starts to listen on the application's address. Reports an address that cannot be used. */
  async #open({ root, host, port, allowedHosts }: ServeRequest): Promise<boolean> {
    const gate = new Gate(allowedHosts);
    const address = host ?? (process.env["HOST"] || defaultHost);
    const wanted = port ?? (Number(process.env["PORT"]) || usualPort);
    try {
      const taken = await gate.listen(address, wanted);
      const shown = address === "0.0.0.0" || address === "::" ? "localhost" : address;
      this.#shownHost = `${shown.includes(":") ? `[${shown}]` : shown}:${taken}`;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason =
        code === "EADDRINUSE"
          ? `port ${wanted} is in use by another program (EADDRINUSE)`
          : `the server cannot listen: ${message}`;
      this.#terminal.crashed(
        `${reason}\n  at ${address}, port ${wanted}\nhelp: choose another port: \`kit dev --port ${wanted + 1}\``,
      );
      return false;
    }
    gate.build = { status: "failed", text: "cargo is building the server" };
    this.#gate = gate;
    this.#speak(gate, tlsFiles(root));
    return true;
  }

  /** Makes the gate expect TLS or plain HTTP. Shows the address if its scheme has changed. */
  #speak(gate: Gate, tls: TlsFiles | undefined): void {
    gate.tls = tls;
    const url = this.#urlWith(tls);
    if (url === this.#url) return;
    this.#url = url;
    this.#terminal.address(url);
    if (tls !== undefined) this.#terminal.certificate(tls.cert);
  }

  #urlWith(tls: TlsFiles | undefined): string {
    return `${tls === undefined ? "http" : "https"}://${this.#shownHost}`;
  }

  /** Builds the server with cargo, and starts it. */
  async #build(signal: AbortSignal): Promise<void> {
    const { root, rust } = this.#request;
    const output = new CargoOutput(root, rust!);
    const color = process.stderr.isTTY ? "json-diagnostic-rendered-ansi" : "json";
    const cargo = this.#start("cargo", ["build", `--message-format=${color}`], process.env);
    signal.addEventListener("abort", () => void cargo.close(cargoPatienceMs));
    const shown: string[] = [];
    const show = (text: string): void => {
      if (signal.aborted) return;
      shown.push(text);
      process.stderr.write(`${text}\n`);
    };
    cargo.process.stdout?.setEncoding("utf8").on("data", (chunk: string) => output.read(chunk).forEach(show));
    let progress = "";
    cargo.process.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (signal.aborted) return;
      progress = (progress + chunk).slice(-longestText);
      process.stderr.write(chunk);
    });
    const end = await cargo.ended;
    if (signal.aborted) return;
    if (cargo.isMissing) {
      const text = "cargo is not installed: install Rust 1.85 or newer (https://rustup.rs)";
      this.#terminal.crashed(text);
      this.#fail({ status: "failed", text });
    } else if (!end.isSuccess) {
      const text = shown.length > 0 ? shown.join("\n\n") : progress;
      this.#fail({ status: "failed", text: stripVTControlCharacters(text).trim() });
    } else if (output.program === undefined) {
      const text = "cargo built no program from src/main.rs";
      this.#terminal.crashed(text);
      this.#fail({ status: "failed", text });
    } else await this.#run(output.program, signal);
  }

  /** Starts the built server, and lets it respond in place of the last one as soon as it listens. */
  async #run(program: BuiltProgram, signal: AbortSignal): Promise<void> {
    // Each build reads `.env` again, so the new version may speak TLS although the last one did not.
    const tls = tlsFiles(this.#request.root);
    const variables = {
      NODE_ENV: process.env["NODE_ENV"] || "development",
      // The debug sidecar shows this address in place of the port that only `kit dev` knows.
      KIT_DEV_URL: this.#urlWith(tls),
      KIT_DEV_TOKEN: this.#token,
      ...(this.#request.databaseUrl !== null && { DATABASE_URL: this.#request.databaseUrl }),
    };
    // The new version starts while the last one runs, so only one of the two could listen on the port of the redirects.
    const { TLS_REDIRECT_PORT: _, TLS_REDIRECT_TO: __, ...given } = process.env;
    const env = { ...given, ...variables };
    const described = JSON.stringify(env);
    if (program.isFresh && this.#current !== undefined && this.#env === described) {
      this.#setBuild(this.#request.build);
      this.#terminal.note("the server has not changed");
      return;
    }
    const port = await freePort();
    const variablesOfProgram = { ...env, HOST: "127.0.0.1", PORT: String(port) };
    const server = this.#start(program.path, [], variablesOfProgram, "pipe");
    const abandon = (): void => void server.close(patienceMs);
    signal.addEventListener("abort", abandon);
    // The server ends or does not read.
    server.process.stdin?.on("error", () => {});
    const errors = forwarded(server, port);
    const slow = setTimeout(() => this.#terminal.warn("the server is not listening yet"), slowStartMs);
    const started = new AbortController();
    const listening = listens(port, AbortSignal.any([signal, started.signal]));
    const end = await Promise.race([server.ended, listening]);
    started.abort();
    clearTimeout(slow);
    if (signal.aborted) return;
    signal.removeEventListener("abort", abandon);
    if (end !== undefined) {
      const text = `the server ended before it listened on a port (${end.description})`;
      this.#terminal.crashed(text);
      this.#fail({ status: "failed", text: errors() || text });
      return;
    }
    const isLinked = variables.NODE_ENV === "development" && (await knowsKitDev(port, this.#token));
    if (signal.aborted) {
      abandon();
      return;
    }
    const last = this.#current;
    this.#current = server;
    this.#env = described;
    this.#setBuild(this.#request.build);
    this.#speak(this.#gate!, tls);
    this.#gate!.backend = { port, ...(isLinked && { token: this.#token }) };
    this.#terminal.ready(Math.round(performance.now() - this.#changedAt));
    void server.ended.then((ended) => this.#ended(server, ended, errors));
    await last?.close(patienceMs);
  }

  #ended(server: ChildProgram, { description }: ProgramEnd, errors: () => string): void {
    // A server that was replaced ends on purpose.
    if (this.#current !== server) return;
    this.#current = undefined;
    this.#gate!.backend = undefined;
    this.#terminal.crashed(
      `the server ended (${description}); kit dev starts the server again when a file changes`,
    );
    this.#fail({ status: "failed", text: errors() || `The server ended: ${description}` });
  }

  /** Records a failed build, which the gate reports if no server runs. */
  #fail(build: BuildState): void {
    this.#setBuild(build);
    this.#terminal.note(
      this.#current === undefined ? "waiting for a change" : "the last version keeps running",
    );
  }

  /** Tells the gate and the server the result of the last build. */
  #setBuild(build: BuildState): void {
    this.#gate!.build = build;
    const result = build.status === "failed" ? "build failed" : "build succeeded";
    this.#current?.process.stdin?.write(`${result}\n`);
  }

  #start(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    stdin: "ignore" | "pipe" = "ignore",
  ): ChildProgram {
    const { root } = this.#request;
    const child = new ChildProgram(program, args, { cwd: root, env, stdio: [stdin, "pipe", "pipe"] });
    this.#programs.add(child);
    void child.ended.then(() => this.#programs.delete(child));
    return child;
  }
}

/**
 * Returns the files of TLS that the environment gives to the server, which reads them relative to `root`. Returns `undefined` for plain
 * HTTP.
 */
function tlsFiles(root: string): TlsFiles | undefined {
  const { TLS_CERT: cert, TLS_KEY: key } = process.env;
  // The server refuses to start with one of the two.
  return cert && key ? { cert: resolvePath(root, cert), key: resolvePath(root, key) } : undefined;
}

/**
 * Copies the output of a server to the output of this process, without the line with the port that only `kit dev` knows. Returns a function
 * that returns the last errors of the server.
 */
function forwarded({ process: { stdout, stderr } }: ChildProgram, port: number): () => string {
  let errors = "";
  stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-longestText);
    process.stderr.write(chunk);
  });
  const listening = ["http", "https"].map((scheme) => `Listening on ${scheme}://127.0.0.1:${port}\n`);
  let isFirst = true;
  stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const line = isFirst ? listening.find((text) => chunk.includes(text)) : undefined;
    if (line !== undefined) isFirst = false;
    process.stdout.write(line === undefined ? chunk : chunk.replace(line, ""));
  });
  return () => stripVTControlCharacters(errors).trim();
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves to true if a server reads the address of the client from the first line of a connection. */
async function knowsKitDev(port: number, token: string): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port }).setEncoding("latin1");
  socket.setTimeout(questionMs, () => socket.destroy());
  socket.write(`KIT-DEV ${token}\n`);
  try {
    for await (const chunk of socket) return String(chunk).startsWith("KIT-DEV");
  } catch {
    // The server has closed the connection.
  }
  return false;
}

/** Resolves when a server listens on a port, or when `signal` is aborted. */
async function listens(port: number, signal: AbortSignal): Promise<undefined> {
  while (!signal.aborted) {
    const socket = connect({ host: "127.0.0.1", port });
    // Each attempt follows the failure of the last one.
    // oxlint-disable-next-line no-await-in-loop
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(attemptMs);
  }
}
