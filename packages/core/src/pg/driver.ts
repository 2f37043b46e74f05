/** Pool of the package `pg`, with the properties that kit uses. `@kit/core` does not depend on the package. */
export interface Pool {
  readonly Client: new (options: unknown) => Client;
  readonly options: unknown;
  connect(done: Done): void;
}

/** Callback of a pool, called with a connection or with the reason for a failure. */
export type Done = (error: unknown, client: Client | undefined, release: Release) => void;

/** Returns a connection to its pool. With an error, or `true`, closes the connection instead. */
export type Release = (error?: unknown) => void;

export interface Client {
  readonly host?: string | null;
  readonly port?: number;
  /** Id of the connection's server process. Absent in `pg-native`. */
  readonly processID?: number | null;
  /** Secret with which PostgreSQL verifies that a cancel request comes from the owner of the connection. */
  readonly secretKey?: number | null;
  readonly connection?: Wire;
  query: (...given: unknown[]) => unknown;
  release: Release;
  /** Returns the state of the connection: `I` (idle) outside of a transaction. */
  getTransactionStatus?(): string | null;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/** Network connection of a client, on which a cancel request is sent before the login. */
export interface Wire {
  readonly ssl: unknown;
  readonly sslNegotiation?: string;
  readonly stream: { destroy(): unknown };
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  on(event: "connect" | "sslconnect" | "end" | "error", listener: () => void): unknown;
}
