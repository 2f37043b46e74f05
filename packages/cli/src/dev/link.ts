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

import { type HeldSocket, type Order, planVariable, type ProcessPlan, type Report } from "./messages.ts";
import { resolveNearImports } from "./near-imports.ts";

/** Lines of requests are told together. */
const linesMs = 30;
/** What is loaded together is told together. */
const linkedMs = 50;
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
  #tellsLinked = false;
  readonly #closes: (() => void)[] = [];
  #build: BuildState = { status: "built", text: "" };
  #answers: AnsweredRequest[] = [];
  #own: (() => void) | undefined;

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
      const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
      send({ kit: "crashed", ...(typeof code === "string" && { code }), text: shown });
    });
  }

  build(): BuildState {
    return this.#build;
  }

  async place(options: ListenOptions): Promise<ListenOptions> {
    if (options.path !== undefined || options.fd !== undefined) return options;
    const { host } = options;
    const port = this.#plan.port ?? options.port;
    const taken = this.#plan.held.length - this.#held.length;
    const index = this.#held.findIndex((held) => held.port === port && held.host === host);
    if (index !== -1) return { ...options, port, fd: this.#held.splice(index, 1)[0]!.fd };
    // Where it can be held, this process is ended and another one is started that has it.
    await new Promise<void>((resolve) => {
      this.#own = resolve;
      process.channel?.ref();
      send({ kit: "place", ...(host !== undefined && { host }), port, taken });
    });
    process.channel?.unref();
    return { ...options, port };
  }

  listening(address: Parameters<DevelopmentLink["listening"]>[0], close: () => void): void {
    this.#closes.push(close);
    send({ kit: "listening", address, imported: [...this.#imported] });
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
        if (url.startsWith(root) && isEdited(url)) return result;
        const isOwn = isEdited(context.parentURL) && context.parentURL.startsWith(root);
        if (isOwn && /^file:.*\.[cm]?[jt]s$/.test(url)) this.#imported.add(url);
        if (isEdited(url)) this.#tellLinked(fileURLToPath(url));
        return result;
      },
    });
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

function send(report: Report): void {
  // A failure means that nobody is there to hear it, of which `disconnect` tells.
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}

const text = process.env[planVariable];
// Processes and threads that the application starts have nothing to do with this.
delete process.env[planVariable];
if (text !== undefined && isMainThread && process.send !== undefined)
  await begin(JSON.parse(text) as ProcessPlan);
