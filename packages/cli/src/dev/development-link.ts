/**
 * Loaded with `--import` into a process of the application, before its program. Loads the modules that an edit of the project does not
 * change, then waits until `kit dev` starts the program, and connects the application with `kit dev`.
 *
 * @module
 */
import { enableCompileCache, flushCompileCache, registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

import type { RespondedRequest, BuildState, DevelopmentLink, ListenOptions } from "@kit/types";

import { acceptsHost, defaultHost } from "./allowed-hosts.ts";
import { circularUse } from "./import-cycle.ts";
import {
  type HeldSocket,
  type Order,
  planVariable,
  type ProcessPlan,
  type Report,
  type TlsFiles,
} from "./messages.ts";
import { explainUncaught } from "../source-imports/explain-uncaught.ts";
import { resolveSourceImports } from "../source-imports/hook.ts";
import { unsupportedSyntax } from "../source-imports/unsupported-syntax.ts";
import { resolveNearImports } from "./near-imports.ts";

/** Time for which reports of requests are collected into one message, in milliseconds. */
const linesMs = 30;
/** Time for which reports of linked files are collected into one message, in milliseconds. */
const linkedMs = 50;
/** Key under which `@kit/core` stores the message of a start error. */
const startError = Symbol.for("kit.startError");
/**
 * Time after the start of the server at which the compile cache is written, in milliseconds. The cache then contains the code that the
 * first requests have used.
 */
const flushMs = 1_000;

async function begin(plan: ProcessPlan): Promise<void> {
  enableCompileCache(plan.cache);
  const link = new Link(plan);
  Object.assign(globalThis, { [Symbol.for("kit.development")]: link });
  link.watchImports();
  resolveNearImports();
  // Modules are imported one after the other, in the order in which the program imports them. Errors are ignored here: the program imports
  // the module again and reports them.
  // oxlint-disable-next-line no-await-in-loop
  for (const url of plan.warm) await import(url).catch(() => undefined);
  if (plan.types) loadStripper();
  collectGarbage();
  await link.programStart;
}

/**
 * Runs the garbage collection after the modules are loaded, while no request waits for it. Otherwise V8 would run it after the program has
 * started.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // V8 adds the function `gc` only to contexts that are created while the flag is set, so a new context is needed.
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}

/**
 * Makes Node load its type stripper, a WebAssembly module, in advance. Node needs it for edited files, which
 * are not in the compile cache.
 */
function loadStripper(): void {
  const { emitWarning } = process;
  // Hides the warning that the type stripper is experimental.
  process.emitWarning = () => undefined;
  try {
    stripTypeScriptTypes("");
  } catch {
    // If the program needs the type stripper, it reports the error.
  } finally {
    process.emitWarning = emitWarning;
  }
}

class Link implements DevelopmentLink {
  readonly version = 1;
  readonly onResponse: DevelopmentLink["onResponse"];
  /** Resolves when `kit dev` wants the program to run. */
  readonly programStart: Promise<void>;
  readonly #plan: ProcessPlan;
  readonly #held: HeldSocket[];
  readonly #imported = new Set<string>();
  readonly #linked = new Set<string>();
  /** Imports between the project's own modules, by URL. */
  readonly #graph = new Map<string, Set<string>>();
  #tellsLinked = false;
  readonly #closes: (() => void)[] = [];
  #build: BuildState = { status: "built", text: "" };
  #answers: RespondedRequest[] = [];
  #openSocket: (() => void) | undefined;
  #isDefaultHost = false;
  /** Address or host name that the program listens on. */
  #host: string = defaultHost;
  /** Files of the last call of `listen` with TLS. A program may listen on other addresses without TLS. */
  #tls: TlsFiles | undefined;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
    this.#held = [...plan.held];
    this.onResponse = plan.lines ? (request) => this.#tellAnswer(request) : null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.programStart = promise;
    process.on("message", (order: Order) => {
      switch (order.kit) {
        case "go":
          this.#build = order.build;
          // The channel must not keep the process running any longer. The server does.
          process.channel?.unref();
          resolve();
          break;
        case "build":
          this.#build = order.build;
          break;
        case "openYourself":
          this.#openSocket?.();
          break;
        case "close":
          this.#close();
      }
    });
    process.on("disconnect", () => this.#close());
    explainUncaught((error) => {
      const { code } = error as { code?: unknown };
      // Node would print only the line of the error, without the import cycle or advice.
      const explained = this.#circularText(error) ?? unsupportedSyntax(error);
      const shown = explained ?? textOf(error);
      send({ kit: "crashed", ...(typeof code === "string" && { code }), text: shown });
      return explained;
    });
  }

  /** Returns a message if a circular import has caused the error, and `undefined` otherwise. */
  #circularText(error: unknown): string | undefined {
    const use = circularUse(error, this.#graph);
    if (use === undefined) return undefined;
    const name = (url: string): string => decodeURI(url.slice(this.#plan.root.length));
    return [
      `error: \`${use.name}\` is used before its file has run: files import each other in a circle`,
      `  at ${name(use.module)}:${use.line}:${use.column}`,
      `  ${use.cycle.map(name).join(" → ")}`,
      "help: move the shared code into a new file that imports none of these files, or use the imported name only inside a function",
    ].join("\n");
  }

  build(): BuildState {
    return this.#build;
  }

  async resolveAddress(options: ListenOptions): Promise<ListenOptions> {
    if (options.tls !== undefined) this.#tls = { cert: options.tls.cert, key: options.tls.key };
    if (options.path !== undefined || options.fd !== undefined) return options;
    const host = this.#plan.host ?? options.host ?? defaultHost;
    const port = this.#plan.port ?? options.port;
    this.#host = host;
    this.#isDefaultHost = this.#plan.host === undefined && options.host === undefined;
    const taken = this.#plan.held.length - this.#held.length;
    const index = this.#held.findIndex((held) => held.port === port && held.host === host);
    if (index !== -1) return { ...options, host, port, fd: this.#held.splice(index, 1)[0]!.fd };
    // If `kit dev` can open the socket, it ends this process and starts another one, which inherits the socket. Otherwise this process
    // opens the socket itself.
    await new Promise<void>((resolve) => {
      this.#openSocket = resolve;
      process.channel?.ref();
      send({ kit: "requestSocket", host, port, taken });
    });
    process.channel?.unref();
    return { ...options, host, port };
  }

  acceptsHost(host: string | undefined): boolean {
    return acceptsHost(host, [...this.#plan.allowedHosts, this.#host]);
  }

  listening(address: Parameters<DevelopmentLink["listening"]>[0], close: () => void): void {
    this.#closes.push(close);
    // Show the name that users type: `localhost` resolves to the default address.
    const url = this.#isDefaultHost ? address.url.replace(`//${defaultHost}:`, "//localhost:") : address.url;
    const tls = url.startsWith("https:") ? this.#tls : undefined;
    send({ kit: "listening", address: { ...address, url }, imported: [...this.#imported], tls });
    setTimeout(flushCompileCache, flushMs).unref();
  }

  /** Records modules outside of the project that the project's own modules import, and reports the loaded files of linked packages. */
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

  #tellAnswer(request: RespondedRequest): void {
    if (this.#answers.length === 0) {
      setTimeout(() => {
        send({ kit: "answered", requests: this.#answers });
        this.#answers = [];
      }, linesMs).unref();
    }
    this.#answers.push(request);
  }

  /** Ends this process because `kit dev` requests it or has exited. */
  #close(): void {
    if (this.#closes.length === 0) process.exit(0);
    for (const close of this.#closes.splice(0)) close();
  }
}

/** Returns true if the URL is a file that a user may edit: not a file in `node_modules`. */
function isEdited(url: string | undefined): url is string {
  return url !== undefined && url.startsWith("file:") && !url.includes("/node_modules/");
}

/** Returns only the message if `@kit/core` refused to start the application. For any other error, returns the stack. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const words = (error as { [startError]?: unknown })[startError];
  return typeof words === "string" ? words : (error.stack ?? error.message);
}

function send(report: Report): void {
  // Sending fails only if `kit dev` has exited. The `disconnect` event handles that.
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}

// Threads of the application run this module too.
resolveSourceImports();
const text = process.env[planVariable];
// The application's own child processes and threads must not inherit the variable.
delete process.env[planVariable];
if (text !== undefined && isMainThread && process.send !== undefined)
  await begin(JSON.parse(text) as ProcessPlan);
