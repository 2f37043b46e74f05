/**
 * Compiler and command line of kit as a native addon. Only `@kit/cli` needs this package. In production nothing loads a
 * compiler.
 *
 * @module
 */
import { createRequire } from "node:module";

import { addonPath } from "./platform.ts";

export { addonPath };

/**
 * Running `kit` command. It runs until it needs JavaScript, for example to import the configuration. {@link
 * Command.step} then returns a request, and the next call of `step` passes the reply to the command.
 */
export interface Command {
  /**
   * Continues the command.
   *
   * @param reply - JSON of a {@link CommandReply}. `undefined` for the first step.
   * @returns JSON of a {@link CommandRequest}.
   * @throws {Error} If the reply is invalid, or if the command panicked. In the case of a panic the message starts with
   * "bug in kit", and the command cannot be continued.
   */
  step(reply?: string): string;
  /**
   * Returns the value of the property that the last request names in `attached`, as JSON. Returns `null` if
   * the request names none, or if the reply to this request was already passed on.
   */
  attachment(): string | null;
}

/** Request of a command to its host, the Node process that runs the command. */
export type CommandRequest =
  | { readonly kind: "loadConfig"; readonly path: string }
  | { readonly kind: "loadEnv"; readonly root: string }
  | { readonly kind: "databaseUrl"; readonly root: string }
  | ({ readonly kind: "database" } & DatabaseRequest)
  | ({ readonly kind: "runTap" } & TapRunRequest)
  | ({ readonly kind: "runNode" } & NodeRunRequest)
  | { readonly kind: "runNodeUntilInput"; readonly run: NodeRunRequest | null }
  | { readonly kind: "stopNode" }
  | ({ readonly kind: "watch" } & WatchRequest)
  | { readonly kind: "wait" }
  | ({ readonly kind: "serve" } & ServeRequest)
  | { readonly kind: "holdSignals"; readonly hold: boolean }
  | { readonly kind: "endInputWith"; readonly process: number }
  | { readonly kind: "read"; readonly waitMs: number }
  | { readonly kind: "exit"; readonly code: number };

/**
 * Request to call a plugin's function for a hook. It contains which plugin of the configuration to call, and
 * the event for the function.
 */
export interface TapRunRequest {
  readonly plugin: number;
  readonly hook: string;
  readonly event: unknown;
  /**
   * Name of a property of `event.event` that is too long to be sent with each request. {@link Command.attachment}
   * returns its value while the plugin's function runs.
   */
  readonly attached: string | null;
  /** True to reply with `null` as soon as bytes arrive on standard input. */
  readonly untilInput?: boolean;
}

/** Reply to `loadEnv`: the names of the variables in a project's `.env`. */
export interface EnvFileReply {
  /** Variables that have been set to the values in the file. */
  readonly set: readonly string[];
  /** Variables that already had other values, which were not changed. */
  readonly kept: readonly string[];
  /** Variables that were changed or removed because the file was read again. */
  readonly changed: readonly string[];
}

/** Request of `kit db` to the embedded database of a project. `root` is an absolute path. */
export type DatabaseRequest =
  | { readonly root: string; readonly action: "url" | "start" | "stop" | "reset" }
  | { readonly root: string; readonly action: "psql"; readonly arguments: readonly string[] };

/** Reply to a {@link DatabaseRequest}. The reply has only the property that was requested. */
export interface DatabaseReply {
  /** URL of the database. */
  readonly url?: string;
  /** Number of processes that use the database. */
  readonly users?: number;
  /** Exit code of psql. `null` if a signal ended it. */
  readonly code?: number | null;
}

/** Request to run a program with the version of Node that the host runs on. */
export interface NodeRunRequest {
  /**
   * Arguments of Node. `{report}` is replaced by the path of a file whose content the reply contains. `{reporter}` is
   * replaced by the path of a module with which `node --test` writes its result to that file.
   */
  readonly args: readonly string[];
  readonly directory: string;
  /**
   * Environment variables in addition to the variables of the host. `{seen}` is replaced by the path of a
   * directory. Tests write into this directory which parts of the contracts they cover. `{log}` is replaced by the path of
   * a directory that receives the log of the application.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** Parts of the contracts that tests have covered. */
export interface SeenContracts {
  /** All items that tests can cover. */
  readonly items: readonly unknown[];
  /** Indexes of the covered items in `items`. */
  readonly seen: readonly number[];
}

/** Reply to `runNode`. */
export interface NodeReply {
  /** Exit code. `null` if a signal ended the program. */
  readonly code: number | null;
  readonly signal: string | null;
  /** True if the user interrupted the program. */
  readonly interrupted: boolean;
  /** Content of the report file, or `null` if it was not written. */
  readonly report: string | null;
  /** Parts of the contracts that the tests covered, or `null` if no test recorded any. */
  readonly seen: SeenContracts | null;
  /** Logs that applications wrote to the directory `{log}`. */
  readonly logs: readonly ProgramLog[];
}

/** Log that one process wrote. */
export interface ProgramLog {
  /** Path of the program. node:test starts a process for each test file. */
  readonly program: string;
  /** Last lines of the log, each an entry in JSON. */
  readonly text: string;
}

/** Request to start watching files. The host replies immediately, with `null`. */
export interface WatchRequest {
  /** Absolute path of the project, whose files are watched. */
  readonly root: string;
  /** Directories to ignore, relative to the root. */
  readonly ignored: readonly string[];
  /** True if changes of test files are reported too. */
  readonly tests: boolean;
  /** Absolute paths of further files to watch. */
  readonly files: readonly string[];
  /** Absolute paths of files that a build has just written. The watcher does not report these changes. */
  readonly written: readonly string[];
}

/** Request of `kit dev` to run the application. The host replies with a {@link DevelopmentEvent}. */
export interface ServeRequest {
  /** Absolute path of the project. */
  readonly root: string;
  /** Path of the application's main module, relative to the root. */
  readonly entry: string;
  /** Output directory of a project whose server is in Rust, relative to the root: cargo builds the program. `null` if Node runs it. */
  readonly rust: string | null;
  /** Path of the program that does jobs, relative to the root, or `null`. It runs beside the application. */
  readonly worker: string | null;
  /** Port to listen on instead of the port in the program, or `null`. */
  readonly port: number | null;
  /** Address to listen on instead of the address in the program, or `null`. */
  readonly host: string | null;
  /** Names that the `Host` header of a request may contain, in addition to localhost and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** URL of the embedded database, or `null` if the project does not use it. */
  readonly databaseUrl: string | null;
  readonly build: { readonly status: "built" | "failed"; readonly text: string; readonly report?: unknown };
  /** Type check that runs after the application listens or has exited, or `null`. */
  readonly types: TypeCheckRequest | null;
}

/** Command that runs the project's type checker. */
export interface TypeCheckRequest {
  /** Absolute path of the type checker. */
  readonly program: string;
  readonly args: readonly string[];
}

/** Event that ends a `wait` or `serve` request. The event is also the reply to the request. */
export type DevelopmentEvent =
  | { readonly kind: "changed"; readonly files: readonly string[] }
  | { readonly kind: "rebuild" }
  /** The type check of the running application has ended. */
  | { readonly kind: "checked"; readonly code: number | null; readonly text: string }
  /** The application cannot listen on its port. The host has printed the reason. */
  | { readonly kind: "failed" }
  | { readonly kind: "quit" };

/** Reply to a `read` request: a part of standard input. */
export interface InputReply {
  /** Bytes, each as a character from U+0000 to U+00FF. */
  readonly bytes: string;
  /** True if no bytes follow. */
  readonly ended: boolean;
}

/** Socket that is bound and listens, but accepts no connections. It exists to be passed to other processes. */
export interface ListeningSocket {
  /** File descriptor in this process. */
  readonly fd: number;
  /** Port of the socket. If port 0 was requested, this is the port that the operating system has chosen. */
  readonly port: number;
  /** Closes the socket in this process. */
  release(): void;
}

/** Reply of the host to a request: a value, or an error with its location in the project's code. */
export type CommandReply =
  | { readonly value: unknown }
  | {
      readonly error: string;
      readonly at?: { readonly path: string; readonly line: number; readonly column: number };
    };

/** Exports of the addon. */
export interface Compiler {
  /** Creates a command from the arguments after `kit`: `["build", "--root", "app"]`. */
  readonly Command: new (args: string[]) => Command;
  /**
   * Creates a socket that listens on a port of one host. If the host is `null`, the socket listens on every
   * address.
   *
   * @throws {Error} If the port is in use. On Windows, always, because a socket cannot be passed to another
   *   process.
   */
  readonly SharedListener: new (host: string | null, port: number) => ListeningSocket;
  /**
   * Generates a Rust server from a program. Arguments and result are JSON. `@kit/plugin-rust-server` defines their
   * format.
   *
   * @throws {Error} If an argument does not have this format.
   */
  readonly generateRustServer: (program: string, options: string) => string;
  /** Returns the version of the addon, which is equal to the version of this package. */
  readonly version: () => string;
}

let loaded: Compiler | undefined;

/**
 * Loads the addon for this platform. Later calls return the same object.
 *
 * @throws {Error} If there is no addon for this platform, or if the addon cannot be loaded. The message
 *   explains what to do.
 * @example
 * ```ts
 * import { loadCompiler } from "@kit/transform-native";
 *
 * const { Command } = loadCompiler();
 * const command = new Command(["build", "--root", "examples/notes"]);
 * ```
 */
export function loadCompiler(): Compiler {
  if (loaded === undefined) {
    const path = addonPath();
    try {
      loaded = createRequire(import.meta.url)(path) as Compiler;
    } catch (error) {
      throw new Error(
        `kit's compiler could not be loaded from ${path}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  return loaded;
}
