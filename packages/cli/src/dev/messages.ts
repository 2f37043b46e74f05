import type { RespondedRequest, BuildState, ListenAddress } from "@kit/types";

/** Socket that the supervisor holds, with its file descriptor in the process of the application. */
export interface HeldSocket {
  /** Host in the application's call of `listen`; `undefined` for all addresses. */
  readonly host: string | undefined;
  /** Port in the application's call of `listen`. Port 0 stands for one free port, the same for every process. */
  readonly port: number;
  readonly fd: number;
}

/** Configuration that a process gets when it starts. */
export interface ProcessPlan {
  readonly held: readonly HeldSocket[];
  /** Port that replaces the port of the program. */
  readonly port: number | undefined;
  /** Address that replaces the address of the program. */
  readonly host: string | undefined;
  /** Names that the `Host` header may have, besides localhost and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** True if the process reports each response. */
  readonly lines: boolean;
  /** True if the program is written in TypeScript. */
  readonly types: boolean;
  /** URLs of modules to load before the program is to run. */
  readonly warm: readonly string[];
  /** URL of the project's root, with a final slash. */
  readonly root: string;
  /** Directory of the compile cache. */
  readonly cache: string;
}

/** Environment variable that contains a {@link ProcessPlan}. */
export const planVariable = "KIT_DEVELOPMENT";

/** Message from the supervisor to a process. */
export type Order =
  | { readonly kit: "go"; readonly build: BuildState }
  | { readonly kit: "build"; readonly build: BuildState }
  /** The supervisor cannot hold the requested socket. The process opens the socket itself, and reports an error if that fails. */
  | { readonly kit: "openYourself" }
  | { readonly kit: "close" };

/** Message from a process to the supervisor. */
export type Report =
  | { readonly kit: "requestSocket"; readonly host?: string; readonly port: number; readonly taken: number }
  | { readonly kit: "listening"; readonly address: ListenAddress; readonly imported: readonly string[] }
  /** All files loaded so far that are neither in the project nor installed: files of linked packages. */
  | { readonly kit: "linked"; readonly files: readonly string[] }
  | { readonly kit: "answered"; readonly requests: readonly RespondedRequest[] }
  | { readonly kit: "crashed"; readonly code?: string; readonly text: string };
