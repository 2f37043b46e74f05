import { join } from "node:path";

import { calledFrom, locationOf } from "./code-location.ts";
import type { CodeLocation } from "./source-imports/syntax-place.ts";
import { runWithTimeout, UnfinishedTap } from "./run-with-timeout.ts";
import { handlerOf } from "./describe-plugins.ts";
import type {
  AfterValidatorsEvent,
  BeforeTransformEvent,
  BuildContext,
  CompileEvent,
  EmitEvent,
  Plugin,
  PluginHooks,
  PluginReport,
} from "./plugins/plugin.ts";

/** Request to call a plugin's function for a hook: data about the build, and the properties of the event. */
export interface TapRequest {
  readonly build: {
    readonly root: string;
    readonly mode: BuildContext["mode"];
    readonly config: BuildContext["config"];
    readonly plugin: string;
  };
  readonly event: Record<string, unknown>;
  /** Name of a property of `event` that is too long to be sent with the request. */
  readonly attached: string | undefined;
  /** Returns the value of the property that `attached` names, as JSON. */
  readonly attachment: () => string | null;
}

/** Result of a plugin's function: files to watch, reports, and either what it has added and changed or its failure. */
export interface TapAnswer {
  readonly watch: readonly string[];
  readonly reports: readonly Call[];
  readonly failure?: Failure;
  readonly result?: unknown;
}

/** Argument of a call that the plugin has made to a function of the event, with the location of the call. */
interface Call {
  readonly value: unknown;
  readonly at: CodeLocation | undefined;
}

interface Failure {
  readonly kind: "threw" | "unsettled" | "unprintable";
  readonly message: string;
  readonly at: CodeLocation | undefined;
}

/**
 * Value of a long property of an event. The value is parsed when it is first read, because most functions of plugins read only a part
 * of their event and would wait for the parsing.
 */
class Attachment {
  readonly #read: () => string | null;
  #text: string | undefined;
  #value: unknown;
  #isOver = false;

  constructor(read: () => string | null) {
    this.#read = read;
  }

  /** Parsed value. Each access returns the same object, so that changes of the plugin are seen. */
  get value(): unknown {
    if (this.#text === undefined) {
      // The build has continued, so the data would be that of a later hook.
      if (this.#isOver)
        throw new Error("the hook function has ended; read the properties of the event before it ends");
      this.#text = this.#read() ?? "null";
      this.#value = JSON.parse(this.#text);
    }
    return this.#value;
  }

  /** Returns the value if the plugin has changed it, and `null` if not. */
  changed(): unknown {
    if (this.#text === undefined) return null;
    const now = JSON.stringify(this.#value);
    // One number can be written in several ways in JSON, so the text is also compared after parsing.
    const isSame = now === this.#text || now === JSON.stringify(JSON.parse(this.#text));
    return isSame ? null : this.#value;
  }

  /** Marks the end of the plugin's function. */
  end(): void {
    this.#isOver = true;
  }
}

/** Functions and properties that an event has only for this hook, and a function that returns what the plugin has added and changed. */
interface TapStage {
  readonly event: object;
  readonly result: () => unknown;
}

/**
 * Default timeouts of a plugin's function, in seconds. The hook `compile` has a longer timeout, because a
 * compiler may take long.
 */
const PATIENCE = { hook: 60, compile: 1800 };

/** Number of stack frames that an error records: enough to reach the plugin from the location of the error. */
const FRAMES = 50;

/** Calls a plugin's function for a hook, and returns its result. */
export async function runTap(
  plugin: Plugin,
  hook: keyof PluginHooks,
  { build, event, attached, attachment }: TapRequest,
): Promise<TapAnswer> {
  const watch: string[] = [];
  const reports: Call[] = [];
  const context: BuildContext = Object.freeze({
    root: build.root,
    mode: build.mode,
    config: frozen(build.config),
    cacheDir: join(build.root, build.config.outputDir, ".cache", build.plugin.replaceAll("/", "+")),
    info: (message: string) => say(`[${build.plugin}] ${message}`),
    warn: (message: string) => say(`warning: [${build.plugin}] ${message}`),
    report: (report: PluginReport) => void reports.push(call(report)),
    watch: (path: string) => void watch.push(path),
  });
  const tap = plugin.hooks[hook];
  const { timeout = PATIENCE[hook === "compile" ? hook : "hook"] } = tap as { timeout?: number };
  const long = new Attachment(attachment);
  const stage = STAGES[hook](long);
  const whole: object = { ...event, ...stage.event, build: context };
  if (attached !== undefined)
    Object.defineProperty(whole, attached, { enumerable: true, get: () => long.value });
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  try {
    await runWithTimeout(() => handlerOf(tap)?.(whole), timeout);
  } catch (error) {
    return { watch, reports: printable(reports), failure: failure(error) };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    long.end();
  }
  try {
    const answer = { watch, reports, result: stage.result() };
    // A value without a JSON form is a mistake of the plugin, so it is searched for here.
    JSON.stringify(answer);
    return answer;
  } catch (error) {
    const message = `the tap returned or changed a value that has no JSON form: ${String((error as Error).message).split("\n")[0]}`;
    return {
      watch,
      reports: printable(reports),
      failure: { kind: "unprintable", message, at: undefined },
    };
  }
}

function failure(error: unknown): Failure {
  if (error instanceof UnfinishedTap) return { kind: "unsettled", message: error.message, at: undefined };
  if (!(error instanceof Error))
    return { kind: "threw", message: `it threw ${String(error)}`, at: undefined };
  const name = error.name === "Error" ? "" : `${error.name}: `;
  return { kind: "threw", message: name + error.message, at: locationOf(error.stack) };
}

/** Returns the reports of a failed plugin that have a JSON form. */
function printable(reports: readonly Call[]): readonly Call[] {
  return reports.filter((report) => {
    try {
      JSON.stringify(report);
      return true;
    } catch {
      return false;
    }
  });
}

function call(value: unknown): Call {
  return { value, at: calledFrom() };
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

type EventMembers<Event> = Omit<Event, "build">;

const STAGES: Readonly<Record<keyof PluginHooks, (long: Attachment) => TapStage>> = {
  beforeTransform() {
    const types: Call[] = [];
    const routes: Call[] = [];
    const own: Partial<EventMembers<BeforeTransformEvent>> = {
      addTypes: (source) => void types.push(call(source)),
      addRoutes: (source) => void routes.push(call(source)),
    };
    return { event: own, result: () => ({ types, routes }) };
  },
  afterTypeParse: (long) => ({ event: {}, result: () => ({ program: long.changed() }) }),
  afterValidators() {
    const added: Call[] = [];
    const replaced: Call[] = [];
    const own: Partial<EventMembers<AfterValidatorsEvent>> = {
      addValidator: (file) => void added.push(call(file)),
      replaceValidator: (type, text) => void replaced.push(call({ type, text })),
    };
    return { event: own, result: () => ({ added, replaced }) };
  },
  afterRouteTable: (long) => ({ event: {}, result: () => ({ routes: long.changed() }) }),
  emit() {
    const files: Call[] = [];
    const projectFiles: Call[] = [];
    const own: Partial<EventMembers<EmitEvent>> = {
      addFile: (file) => void files.push(call(file)),
      addProjectFile: (file, options) =>
        void projectFiles.push(call({ ...file, onlyIfMissing: options?.onlyIfMissing ?? false })),
    };
    return { event: own, result: () => ({ files, projectFiles }) };
  },
  compile() {
    let handled = false;
    const own: Partial<EventMembers<CompileEvent>> = { handle: () => void (handled = true) };
    return { event: own, result: () => ({ handled }) };
  },
  done: () => ({ event: {}, result: () => ({}) }),
};
