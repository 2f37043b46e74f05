/**
 * kit's compiler and command line as a native addon. Only `@kit/cli` needs it: nothing that runs in production loads a
 * compiler.
 *
 * @module
 */
import { createRequire } from "node:module";

import { addonPath } from "./platform.ts";

export { addonPath };

/**
 * A `kit` command that is run step by step. It works on its own until it needs JavaScript; {@link Command.step} then
 * returns what it needs, and the next step carries the reply.
 */
export interface Command {
  /**
   * Runs the command on.
   *
   * @param reply - JSON of a {@link CommandReply}; nothing for the first step.
   * @returns JSON of a {@link CommandRequest}.
   * @throws An `Error` that begins with "bug in kit" where the command panicked; it cannot go on then.
   */
  step(reply?: string): string;
  /** JSON of what the last request says is `attached` to it; `null` where nothing is, or the request was replied to. */
  attachment(): string | null;
}

/** What a command asks of its host. */
export type CommandRequest =
  | { readonly kind: "loadConfig"; readonly path: string }
  | { readonly kind: "loadEnv"; readonly root: string }
  | { readonly kind: "databaseUrl"; readonly root: string }
  | ({ readonly kind: "database" } & DatabaseRequest)
  | ({ readonly kind: "runTap" } & TapQuestion)
  | ({ readonly kind: "runNode" } & NodeRunRequest)
  | ({ readonly kind: "watch" } & WatchRequest)
  | { readonly kind: "wait" }
  | ({ readonly kind: "serve" } & ServeRequest)
  | { readonly kind: "exit"; readonly code: number };

/** A tap to run: of which plugin of the configuration, on what. */
export interface TapQuestion {
  readonly plugin: number;
  readonly hook: string;
  readonly event: unknown;
  /** A further member of `event.event`, long: {@link Command.attachment} gives its text, for as long as the tap runs. */
  readonly attached: string | null;
}

/** The reply to `loadEnv`: names of variables of a project's `.env`. */
export interface EnvFileAnswer {
  /** Those that are set to the file's values. */
  readonly set: readonly string[];
  /** Those that had other values already, which they keep. */
  readonly kept: readonly string[];
  /** Those whose values were changed or removed by this reading. */
  readonly changed: readonly string[];
}

/** What `kit db` wants of the embedded database of a project, an absolute path. */
export type DatabaseRequest =
  | { readonly root: string; readonly action: "url" | "start" | "stop" | "reset" }
  | { readonly root: string; readonly action: "psql"; readonly arguments: readonly string[] };

/** The reply: of each only what was asked for. */
export interface DatabaseAnswer {
  /** Where it is. */
  readonly url?: string;
  /** How many processes use it. */
  readonly users?: number;
  /** How psql ended; `null` where a signal ended it. */
  readonly code?: number | null;
}

/** How to run the Node that the host is. */
export interface NodeRunRequest {
  /** `{report}` stands for a file whose text is replied, `{reporter}` for the module that makes `node --test` write its result there. */
  readonly args: readonly string[];
  readonly directory: string;
  /** Variables besides the host's; `{seen}` stands for a directory, into which tests write what they see of the contracts. */
  readonly env: Readonly<Record<string, string>>;
}

/** What tests saw of the contracts. */
export interface SeenContracts {
  /** All that could be seen. */
  readonly items: readonly unknown[];
  /** The places of those in `items` that were. */
  readonly seen: readonly number[];
}

/** The reply to `runNode`. */
export interface NodeEnd {
  /** Exit code; `null` where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether the user wanted the command to end. */
  readonly interrupted: boolean;
  /** The text of the report, where one was written. */
  readonly report: string | null;
  /** What its tests saw of the contracts; `null` where none of them counted. */
  readonly seen: SeenContracts | null;
}

/** Which files a command wants to be looked at from now on. The host replies at once, with null. */
export interface WatchRequest {
  /** Absolute path of the project: what is in it counts. */
  readonly root: string;
  /** But for these directories, relative to the root. */
  readonly ignored: readonly string[];
  /** Whether files of tests count. */
  readonly tests: boolean;
  /** Files that count wherever they are, absolute. */
  readonly files: readonly string[];
  /** Files that were just written by a build, absolute: that is no edit. */
  readonly written: readonly string[];
}

/** What `kit dev` wants to be served. The host replies with a {@link DevelopmentEvent}. */
export interface ServeRequest {
  /** Absolute path of the project. */
  readonly root: string;
  /** The program, relative to the root. */
  readonly entry: string;
  /** In place of the port that the program says. */
  readonly port: number | null;
  /** The address to listen on, in place of the one that the program says. */
  readonly host: string | null;
  /** Names that the `Host` header of a request may have, besides localhost and addresses. */
  readonly allowedHosts: readonly string[];
  /** Of the embedded database, where that is used. */
  readonly databaseUrl: string | null;
  readonly build: { readonly status: "built" | "failed"; readonly text: string; readonly report?: unknown };
  /** The type check that follows once the application listens or has ended; `null` if there is none. */
  readonly types: TypeCheckRequest | null;
}

/** How to run the project's type checker. */
export interface TypeCheckRequest {
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
}

/** What happened while a command waited: the reply to `wait` and `serve`. */
export type DevelopmentEvent =
  | { readonly kind: "changed"; readonly files: readonly string[] }
  | { readonly kind: "rebuild" }
  /** The type check of what is served has ended. */
  | { readonly kind: "checked"; readonly code: number | null; readonly text: string }
  /** The application has no port to listen on, of which the host has told. */
  | { readonly kind: "failed" }
  | { readonly kind: "quit" };

/** A socket that listens and accepts nothing, to be passed on to processes that do. */
export interface HeldPort {
  /** Its descriptor in this process. */
  readonly fd: number;
  /** The port it has, where 0 was asked for. */
  readonly port: number;
  /** Closes it here. */
  release(): void;
}

/** The host's reply: a value, or why there is none, and where in the project's code that is. */
export type CommandReply =
  | { readonly value: unknown }
  | {
      readonly error: string;
      readonly at?: { readonly path: string; readonly line: number; readonly column: number };
    };

/** The addon's exports. */
export interface Compiler {
  /** A command with its arguments, without the program's name. */
  readonly Command: new (args: string[]) => Command;
  /**
   * Listens on a port of a host, or of every address.
   *
   * @throws An `Error` where somebody else listens there, and on Windows, where a socket cannot be passed on.
   */
  readonly HeldPort: new (host: string | null, port: number) => HeldPort;
  /**
   * Makes a Rust server of a program; both arguments and the answer are JSON. `@kit/plugin-rust-server` knows their forms.
   *
   * @throws An `Error` where an argument does not have its form.
   */
  readonly generateRustServer: (program: string, options: string) => string;
  /** Version of the addon, equal to that of this package. */
  readonly version: () => string;
}

let loaded: Compiler | undefined;

/**
 * Loads the addon, once.
 *
 * @throws An `Error` that says what to do where there is no addon for this platform or it does not load.
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
