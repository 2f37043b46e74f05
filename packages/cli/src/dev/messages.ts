import type { RespondedRequest, BuildState, ListenAddress } from "@kit/types";

/** Socket that `kit dev` keeps open, with its file descriptor in a process of the application. */
export interface HeldSocket {
  /** Host in the application's call of `listen`; `undefined` for all addresses. */
  readonly host: string | undefined;
  /** Port in the application's call of `listen`. For port 0, each process gets the same free port. */
  readonly port: number;
  readonly fd: number;
}

/** Paths of the files with which a program speaks TLS. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Settings that a process of the application gets when it starts. */
export interface ProcessPlan {
  readonly held: readonly HeldSocket[];
  /** Port to listen on in place of the port in the program. */
  readonly port: number | undefined;
  /** Address to listen on in place of the address in the program. */
  readonly host: string | undefined;
  /** Names that the `Host` header of a request may have, in addition to localhost and IP addresses. */
  readonly allowedHosts: readonly string[];
  /** True if the process reports each response, so that `kit dev` can print it. */
  readonly lines: boolean;
  /** True if the program is written in TypeScript. */
  readonly types: boolean;
  /** URLs of modules to load before the program starts. */
  readonly warm: readonly string[];
  /** URL of the project's root, with a final slash. */
  readonly root: string;
  /** Directory of the compile cache. */
  readonly cache: string;
}

/** Environment variable that contains a {@link ProcessPlan}. */
export const planVariable = "KIT_DEVELOPMENT";

/** Message from `kit dev` to a process of the application. */
export type Order =
  | { readonly kit: "go"; readonly build: BuildState }
  | { readonly kit: "build"; readonly build: BuildState }
  /** `kit dev` cannot open the requested socket. The process opens the socket itself, and reports an error if that fails. */
  | { readonly kit: "openYourself" }
  | { readonly kit: "close" };

/** Message from a process of the application to `kit dev`. */
export type Report =
  | { readonly kit: "requestSocket"; readonly host?: string; readonly port: number; readonly taken: number }
  | {
      readonly kit: "listening";
      readonly address: ListenAddress;
      readonly imported: readonly string[];
      readonly tls: TlsFiles | undefined;
    }
  /** All files of linked packages that were loaded so far: files that are neither in the project nor in `node_modules`. */
  | { readonly kit: "linked"; readonly files: readonly string[] }
  | { readonly kit: "answered"; readonly requests: readonly RespondedRequest[] }
  | { readonly kit: "crashed"; readonly code?: string; readonly text: string };
