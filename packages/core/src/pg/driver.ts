/** As much of the package `pg` as is used here. `@kit/core` does not depend on it. */
export interface Pool {
  readonly Client: new (options: unknown) => Client;
  readonly options: unknown;
  connect(done: Done): void;
}

/** Callback of a pool that gives a connection, or the reason why there is none. */
export type Done = (error: unknown, client: Client | undefined, release: Release) => void;

/** Gives a connection back to its pool. With an error, or `true`, the connection is closed instead. */
export type Release = (error?: unknown) => void;

export interface Client {
  readonly host?: string | null;
  readonly port?: number;
  /** The server process of the connection; absent in `pg-native`. */
  readonly processID?: number | null;
  /** Proof to PostgreSQL that a cancel request comes from whoever opened the connection. */
  readonly secretKey?: number | null;
  readonly connection?: Wire;
  query: (...given: unknown[]) => unknown;
  release: Release;
  /** `I` outside of a transaction. */
  getTransactionStatus?(): string | null;
}

/** A connection before it is logged in. */
export interface Wire {
  readonly ssl: unknown;
  readonly sslNegotiation?: string;
  readonly stream: { destroy(): unknown };
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
  on(event: "connect" | "sslconnect" | "end" | "error", listener: () => void): unknown;
}
