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
 * `kit` command that runs in steps. It runs until it needs JavaScript. {@link Command.step} then returns a request, and
 * the next call of `step` passes the reply.
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
   * Returns JSON of the value that the last request declares as `attached`. `null` if there is none, or if the request
   * has its reply.
   */
  attachment(): string | null;
}

/** Request of a command to its host. */
export type CommandRequest =
  | { readonly kind: "loadConfig"; readonly path: string }
  | { readonly kind: "loadEnv"; readonly root: string }
  | { readonly kind: "databaseUrl"; readonly root: string }
  | ({ readonly kind: "database" } & DatabaseRequest)
  | ({ readonly kind: "runTap" } & TapRunRequest)
  | ({ readonly kind: "runNode" } & NodeRunRequest)
  | ({ readonly kind: "watch" } & WatchRequest)
  | { readonly kind: "wait" }
  | ({ readonly kind: "serve" } & ServeRequest)
  | { readonly kind: "exit"; readonly code: number };

/** Request to run a tap: the plugin of the configuration, and the event. */
export interface TapRunRequest {
  readonly plugin: number;
  readonly hook: string;
  readonly event: unknown;
  /**
   * Name of a long additional member of `event.event`. {@link Command.attachment} returns its text while the tap runs.
   */
  readonly attached: string | null;
}

/** Reply to `loadEnv`: names of variables in a project's `.env`. */
export interface EnvFileReply {
  /** Variables that were set to the values of the file. */
  readonly set: readonly string[];
  /** Variables that had other values already, and keep them. */
  readonly kept: readonly string[];
  /** Variables that this reading changed or removed. */
  readonly changed: readonly string[];
}

/** Request of `kit db` to the embedded database of a project. `root` is an absolute path. */
export type DatabaseRequest =
  | { readonly root: string; readonly action: "url" | "start" | "stop" | "reset" }
  | { readonly root: string; readonly action: "psql"; readonly arguments: readonly string[] };

/** Reply to a {@link DatabaseRequest}. Contains only the requested property. */
export interface DatabaseReply {
  /** URL of the database. */
  readonly url?: string;
  /** Number of processes that use the database. */
  readonly users?: number;
  /** Exit code of psql. `null` if a signal ended it. */
  readonly code?: number | null;
}

/** Request to run a program with the host's Node. */
export interface NodeRunRequest {
  /**
   * Arguments. `{report}` is replaced by the path of a file whose contents are part of the reply. `{reporter}` is
   * replaced by the path of the module that makes `node --test` write its result to that file.
   */
  readonly args: readonly string[];
  readonly directory: string;
  /**
   * Environment variables in addition to those of the host. `{seen}` is replaced by the path of a directory into which
   * tests write how much of the contracts they cover.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** Coverage of the contracts by tests. */
export interface SeenContracts {
  /** All items that tests can cover. */
  readonly items: readonly unknown[];
  /** Indexes in `items` of the covered items. */
  readonly seen: readonly number[];
}

/** Reply to `runNode`. */
export interface NodeReply {
  /** Exit code. `null` if a signal ended the program. */
  readonly code: number | null;
  readonly signal: string | null;
  /** True if the user interrupted the command. */
  readonly interrupted: boolean;
  /** Contents of the report, if it was written. */
  readonly report: string | null;
  /** Coverage of the contracts by the tests. `null` if no test recorded any. */
  readonly seen: SeenContracts | null;
}

/** Request to watch files from now on. The host replies at once, with `null`. */
export interface WatchRequest {
  /** Absolute path of the project, whose files are watched. */
  readonly root: string;
  /** Directories to ignore, relative to the root. */
  readonly ignored: readonly string[];
  /** True to watch test files. */
  readonly tests: boolean;
  /** Absolute paths of additional files to watch. */
  readonly files: readonly string[];
  /** Absolute paths of files that a build has just written, which does not count as a change. */
  readonly written: readonly string[];
}

/** Request of `kit dev` to serve the application. The host replies with a {@link DevelopmentEvent}. */
export interface ServeRequest {
  /** Absolute path of the project. */
  readonly root: string;
  /** Path of the program, relative to the root. */
  readonly entry: string;
  /** Port in place of the port that the program specifies. */
  readonly port: number | null;
  /** Address to listen on, in place of the one that the program specifies. */
  readonly host: string | null;
  /** Names that the `Host` header of a request may have, in addition to localhost and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** URL of the embedded database, if it is used. */
  readonly databaseUrl: string | null;
  readonly build: { readonly status: "built" | "failed"; readonly text: string; readonly report?: unknown };
  /** Type check to run after the application listens or has exited. `null` if there is none. */
  readonly types: TypeCheckRequest | null;
}

/** Command that runs the project's type checker. */
export interface TypeCheckRequest {
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
}

/** Event during `wait` or `serve`, and the reply to these requests. */
export type DevelopmentEvent =
  | { readonly kind: "changed"; readonly files: readonly string[] }
  | { readonly kind: "rebuild" }
  /** The type check of the served application has ended. */
  | { readonly kind: "checked"; readonly code: number | null; readonly text: string }
  /** The application has no port to listen on. The host has printed the reason. */
  | { readonly kind: "failed" }
  | { readonly kind: "quit" };

/** Socket that listens but accepts no connections, so that it can be passed to other processes. */
export interface ListeningSocket {
  /** File descriptor in this process. */
  readonly fd: number;
  /** Port of the socket. The actual port if 0 was requested. */
  readonly port: number;
  /** Closes the socket in this process. */
  release(): void;
}

/** Reply of the host: a value, or an error with its location in the project's code. */
export type CommandReply =
  | { readonly value: unknown }
  | {
      readonly error: string;
      readonly at?: { readonly path: string; readonly line: number; readonly column: number };
    };

/** Exports of the addon. */
export interface Compiler {
  /** Creates a command from its arguments, without the name of the program. */
  readonly Command: new (args: string[]) => Command;
  /**
   * Creates a socket that listens on a port of a host, or of every address.
   *
   * @throws {Error} If the port is in use. Always on Windows, where a socket cannot be passed to another process.
   */
  readonly HeldPort: new (host: string | null, port: number) => ListeningSocket;
  /**
   * Generates a Rust server from a program. Arguments and result are JSON. `@kit/plugin-rust-server` defines their
   * format.
   *
   * @throws {Error} If an argument has another format.
   */
  readonly generateRustServer: (program: string, options: string) => string;
  /** Returns the version of the addon, which is equal to the version of this package. */
  readonly version: () => string;
}

let loaded: Compiler | undefined;

/**
 * Loads the addon. Later calls return the same object.
 *
 * @throws {Error} If there is no addon for this platform, or if the addon cannot be loaded. The message contains
 * advice.
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
