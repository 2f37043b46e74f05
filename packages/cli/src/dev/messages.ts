import type { AnsweredRequest, BuildState, ListenAddress } from "@kit/types";

/** A socket that the supervisor holds, and the descriptor under which a process has it. */
export interface HeldSocket {
  /** As the application asks for it; nothing for every address. */
  readonly host: string | undefined;
  /** As the application asks for it: 0 is one port, the same for every process. */
  readonly port: number;
  readonly fd: number;
}

/** What a process is told when it is started. */
export interface ProcessPlan {
  readonly held: readonly HeldSocket[];
  /** In place of the port that the program says. */
  readonly port: number | undefined;
  /** In place of the address that the program says. */
  readonly host: string | undefined;
  /** Names that `Host` may have, besides localhost and addresses. */
  readonly allowedHosts: readonly string[];
  /** Whether each answer is told. */
  readonly lines: boolean;
  /** Whether the program is written in TypeScript. */
  readonly types: boolean;
  /** Modules to load before there is anything to run. */
  readonly warm: readonly string[];
  /** The project's root, with a slash at its end, as a URL. */
  readonly root: string;
  /** Where compiled code is kept. */
  readonly cache: string;
}

/** The environment variable that holds a {@link ProcessPlan}. */
export const planVariable = "KIT_DEVELOPMENT";

/** From the supervisor to a process. */
export type Order =
  | { readonly kit: "go"; readonly build: BuildState }
  | { readonly kit: "build"; readonly build: BuildState }
  /** The socket that was asked for cannot be held: the process is to say why. */
  | { readonly kit: "own" }
  | { readonly kit: "close" };

/** From a process to the supervisor. */
export type Report =
  | { readonly kit: "place"; readonly host?: string; readonly port: number; readonly taken: number }
  | { readonly kit: "listening"; readonly address: ListenAddress; readonly imported: readonly string[] }
  /** All files so far that it has loaded and that are neither the project's nor installed: packages that are linked. */
  | { readonly kit: "linked"; readonly files: readonly string[] }
  | { readonly kit: "answered"; readonly requests: readonly AnsweredRequest[] }
  | { readonly kit: "crashed"; readonly code?: string; readonly text: string };
