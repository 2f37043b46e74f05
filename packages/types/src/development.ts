import type { ListenAddress, ListenOptions } from "./server.ts";

/**
 * What `kit dev` puts into the process of an application before its program runs, under `Symbol.for("kit.development")` of
 * `globalThis`: an application that finds it listens where it says, tells it what happens, and closes when it asks.
 */
export interface DevelopmentLink {
  /** Of this interface; an application of another version takes no notice. */
  readonly version: 1;
  /** Where to listen in place of what the program says, which may be a socket that the process before this one has open too. */
  place(options: ListenOptions): ListenOptions | Promise<ListenOptions>;
  /** The application serves; `close` ends it as SIGTERM does, but without the delay before it stops accepting. */
  listening(address: ListenAddress, close: () => void): void;
  /** Called after each answer, where somebody reads it. */
  readonly answered: ((request: AnsweredRequest) => void) | null;
  /** How the last build went. */
  build(): BuildState;
  /**
   * Tells whether a request with this `Host` header is answered. A web page can have a name of its own that leads to this machine
   * (DNS rebinding), and read the application by it.
   */
  acceptsHost?(host: string | undefined): boolean;
}

/** One request, as a line in the terminal shows it. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly status: number;
  /** From the request's arrival to its answer, in milliseconds. */
  readonly durationMs: number;
}

/** How the last build of `kit dev` went. */
export interface BuildState {
  readonly status: "built" | "failed";
  /** What the build says, as the terminal shows it, without colours; empty where it went well. */
  readonly text: string;
  /** Where it failed: the report that `kit build --json` prints. */
  readonly report?: unknown;
}
