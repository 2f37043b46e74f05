import type { ListenAddress, ListenOptions } from "./listen.ts";

/**
 * Connection of an application to `kit dev`. Before the program runs, `kit dev` stores this object in the process of
 * the application, as `Symbol.for("kit.development")` of `globalThis`. An application that finds the object listens at
 * the address that it returns, reports events to it, and closes on its request.
 */
export interface DevelopmentLink {
  /** Version of this interface. An application that supports another version ignores the object. */
  readonly version: 1;
  /**
   * Returns the address to listen on instead of the program's own. The address may be a socket that the previous
   * process has open too.
   */
  resolveAddress(options: ListenOptions): ListenOptions | Promise<ListenOptions>;
  /**
   * Reports that the application serves. `close` closes it as SIGTERM does, but without the delay before it stops
   * accepting.
   */
  listening(address: ListenAddress, close: () => void): void;
  /** Called after each response. `null` if nothing reads these reports. */
  readonly onResponse: ((request: RespondedRequest) => void) | null;
  /** Returns the state of the last build. */
  build(): BuildState;
  /**
   * Returns true if the application serves requests with this `Host` header. A web page can use a host name of its own
   * that resolves to this machine (DNS rebinding), and then read the responses of the application.
   */
  acceptsHost?(host: string | undefined): boolean;
}

/** Request with its response, as one line in the terminal shows them. */
export interface RespondedRequest {
  /** Method in upper case. */
  readonly method: string;
  /** Path in the normal form, and query. */
  readonly target: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Time from the arrival of the request to its response, in milliseconds. */
  readonly durationMs: number;
}

/** State of the last build of `kit dev`. */
export interface BuildState {
  /** Result of the build. */
  readonly status: "built" | "failed";
  /** Output of the build, as the terminal shows it, without colours. Empty if the build succeeded. */
  readonly text: string;
  /** Report that `kit build --json` prints. Present if the build failed. */
  readonly report?: unknown;
}
