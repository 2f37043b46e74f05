/**
 * Runs in the process of an application before its program, by `--import`: waits until the program is wanted, with everything
 * loaded that no edit changes, and then stands between the application and `kit dev`.
 *
 * @module
 */
import { enableCompileCache, flushCompileCache, registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

import type { AnsweredRequest, BuildState, DevelopmentLink, ListenOptions } from "@kit/types";

import { acceptsHost, defaultHost } from "./allowed-hosts.ts";
import { circularUse } from "./import-cycle.ts";
import { type HeldSocket, type Order, planVariable, type ProcessPlan, type Report } from "./messages.ts";
import { resolveNearImports } from "./near-imports.ts";

/** Lines of requests are told together. */
const linesMs = 30;
/** What is loaded together is told together. */
const linkedMs = 50;
/** `@kit/core` gives errors of a start their words under this name. */
const startError = Symbol.for("kit.startError");
/** What was compiled is kept when the application has been used a little. */
const flushMs = 1_000;

async function begin(plan: ProcessPlan): Promise<void> {
  enableCompileCache(plan.cache);
  const link = new Link(plan);
  Object.assign(globalThis, { [Symbol.for("kit.development")]: link });
  link.watchImports();
  resolveNearImports();
  // One after the other, as the program will: a module that fails does so again when the program imports it.
  // oxlint-disable-next-line no-await-in-loop
  for (const url of plan.warm) await import(url).catch(() => undefined);
  if (plan.types) loadStripper();
  collectGarbage();
  await link.wanted;
}

/**
 * Has V8 clear away what loading left, while nobody waits: it would do so when the program begins.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // The function is in contexts that are made from now on, so this one never has it.
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}

/** Has Node load what strips types, a WebAssembly module: a file that was edited is in no cache. */
function loadStripper(): void {
  const { emitWarning } = process;
  // Whether the function stays as it is matters to nobody here.
  process.emitWarning = () => undefined;
  try {
    stripTypeScriptTypes("");
  } catch {
    // Then the program's files will say what is wrong.
  } finally {
    process.emitWarning = emitWarning;
  }
}

class Link implements DevelopmentLink {
  readonly version = 1;
  readonly answered: DevelopmentLink["answered"];
  /** Settled when the program is to run. */
  readonly wanted: Promise<void>;
  readonly #plan: ProcessPlan;
  readonly #held: HeldSocket[];
  readonly #imported = new Set<string>();
  readonly #linked = new Set<string>();
  /** Which of the project's own modules import which. */
  readonly #graph = new Map<string, Set<string>>();
  #tellsLinked = false;
  readonly #closes: (() => void)[] = [];
  #build: BuildState = { status: "built", text: "" };
  #answers: AnsweredRequest[] = [];
  #own: (() => void) | undefined;
  #isDefaultHost = false;
  /** The address or name that the program listens on. */
  #host: string = defaultHost;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
    this.#held = [...plan.held];
    this.answered = plan.lines ? (request) => this.#tellAnswer(request) : null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wanted = promise;
    process.on("message", (order: Order) => {
      switch (order.kit) {
        case "go":
          this.#build = order.build;
          // The server keeps the process, not the channel.
          process.channel?.unref();
          resolve();
          break;
        case "build":
          this.#build = order.build;
          break;
        case "own":
          this.#own?.();
          break;
        case "close":
          this.#end();
      }
    });
    process.on("disconnect", () => this.#end());
    process.on("uncaughtExceptionMonitor", (error: unknown) => {
      const { code } = error as { code?: unknown };
      const circular = this.#circularText(error);
      const shown = circular ?? textOf(error);
      send({ kit: "crashed", ...(typeof code === "string" && { code }), text: shown });
      if (circular === undefined || process.listenerCount("uncaughtException") > 0) return;
      // Node would show the line, and not that the files import each other.
      process.stderr.write(`${circular}\n`);
      process.exit(1);
    });
  }

  /** Words for an error that a circular import has caused. */
  #circularText(error: unknown): string | undefined {
    const use = circularUse(error, this.#graph);
    if (use === undefined) return undefined;
    const name = (url: string): string => decodeURI(url.slice(this.#plan.root.length));
    return [
      `error: \`${use.name}\` is used before its file has run: files import each other in a circle`,
      `  at ${name(use.module)}:${use.line}:${use.column}`,
      `  ${use.cycle.map(name).join(" → ")}`,
      "help: move what several of these files need into a file that imports none of them, or use it within a function",
    ].join("\n");
  }

  build(): BuildState {
    return this.#build;
  }

  async place(options: ListenOptions): Promise<ListenOptions> {
    if (options.path !== undefined || options.fd !== undefined) return options;
    const host = this.#plan.host ?? options.host ?? defaultHost;
    const port = this.#plan.port ?? options.port;
    this.#host = host;
    this.#isDefaultHost = this.#plan.host === undefined && options.host === undefined;
    const taken = this.#plan.held.length - this.#held.length;
    const index = this.#held.findIndex((held) => held.port === port && held.host === host);
    if (index !== -1) return { ...options, host, port, fd: this.#held.splice(index, 1)[0]!.fd };
    // Where it can be held, this process is ended and another one is started that has it.
    await new Promise<void>((resolve) => {
      this.#own = resolve;
      process.channel?.ref();
      send({ kit: "place", host, port, taken });
    });
    process.channel?.unref();
    return { ...options, host, port };
  }

  acceptsHost(host: string | undefined): boolean {
    return acceptsHost(host, [...this.#plan.allowedHosts, this.#host]);
  }

  listening(address: Parameters<DevelopmentLink["listening"]>[0], close: () => void): void {
    this.#closes.push(close);
    // `localhost` leads to the default address, and is what people type.
    const url = this.#isDefaultHost ? address.url.replace(`//${defaultHost}:`, "//localhost:") : address.url;
    send({ kit: "listening", address: { ...address, url }, imported: [...this.#imported] });
    setTimeout(flushCompileCache, flushMs).unref();
  }

  /** Remembers what the project's own modules import from elsewhere, and all that is loaded of linked packages. */
  watchImports(): void {
    const { root, warm } = this.#plan;
    for (const url of warm) this.#imported.add(url);
    registerHooks({
      resolve: (specifier, context, next) => {
        const result = next(specifier, context);
        const { url } = result;
        const { parentURL } = context;
        const isOwn = isEdited(parentURL) && parentURL.startsWith(root);
        if (url.startsWith(root) && isEdited(url)) {
          if (isOwn) this.#noteImport(parentURL, url);
          return result;
        }
        if (isOwn && /^file:.*\.[cm]?[jt]s$/.test(url)) this.#imported.add(url);
        if (isEdited(url)) this.#tellLinked(fileURLToPath(url));
        return result;
      },
    });
  }

  #noteImport(from: string, to: string): void {
    const known = this.#graph.get(from);
    if (known === undefined) this.#graph.set(from, new Set([to]));
    else known.add(to);
  }

  #tellLinked(file: string): void {
    if (this.#linked.size === this.#linked.add(file).size || this.#tellsLinked) return;
    this.#tellsLinked = true;
    setTimeout(() => {
      this.#tellsLinked = false;
      send({ kit: "linked", files: [...this.#linked] });
    }, linkedMs).unref();
  }

  #tellAnswer(request: AnsweredRequest): void {
    if (this.#answers.length === 0) {
      setTimeout(() => {
        send({ kit: "answered", requests: this.#answers });
        this.#answers = [];
      }, linesMs).unref();
    }
    this.#answers.push(request);
  }

  /** `kit dev` wants this process to end, or is gone. */
  #end(): void {
    if (this.#closes.length === 0) process.exit(0);
    for (const close of this.#closes.splice(0)) close();
  }
}

/** Whether it is a file that somebody may edit, and not one that was installed. */
function isEdited(url: string | undefined): url is string {
  return url !== undefined && url.startsWith("file:") && !url.includes("/node_modules/");
}

/** The words of a start error of `@kit/core`, else the stack. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = (error as { [startError]?: unknown })[startError];
  return typeof words === "string" ? words : (error.stack ?? error.message);
}

function send(report: Report): void {
  // A failure means that nobody is there to hear it, of which `disconnect` tells.
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}

const text = process.env[planVariable];
// Processes and threads that the application starts have nothing to do with this.
delete process.env[planVariable];
if (text !== undefined && isMainThread && process.send !== undefined)
  await begin(JSON.parse(text) as ProcessPlan);
