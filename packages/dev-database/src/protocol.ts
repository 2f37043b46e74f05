import type { Paths } from "./paths.ts";

/** Configuration of a keeper. The configuration is the keeper's only argument, as JSON. */
export interface KeeperRequest {
  readonly paths: Paths;
  /** Time in milliseconds without any lease after which the keeper stops PostgreSQL and itself. */
  readonly idleMs: number;
}

/** First line that a client sends to the keeper. The connection itself is the lease. */
export type LeaseRequest =
  /**
   * Requests the URL of the database `name`. With `owned`, the database belongs to this client and is dropped
   * when the connection closes.
   */
  | { readonly name: string; readonly owned?: boolean }
  /** Requests a new copy of the template with the key `template`. The copy belongs to this client. */
  | { readonly template: string }
  /** Requests an action on the server, or on the database `name`. */
  | { readonly control: Control; readonly name: string };

/** Action of the keeper. `start` runs the server until `stop`. `reset` replaces the database by an empty database. */
export type Control = "start" | "stop" | "reset";

/** Second line of a client that has filled a template: the template is complete. */
export interface Prepared {
  readonly prepared: true;
}

/** Response of the keeper to a line that the client has sent. */
export type LeaseReply =
  | { readonly url: string }
  /**
   * URL of an empty database, because the template does not exist yet. The client must fill the database and then send {@link Prepared}.
   */
  | { readonly prepare: string }
  /** Number of other users of the server, as the response to `stop`. The server stops if it is 0. */
  | { readonly users: number }
  | { readonly error: string; readonly hint?: string };

/** Exit code of a keeper if another keeper already runs. */
export const BUSY = 75;

/** Calls the listener for each line of a text stream. */
export function onLines(stream: NodeJS.ReadableStream, listener: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) listener(line);
  });
}

/** Returns true if a database may have this name. Names need no quotes in SQL and no escapes in a URL. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** Returns true if a template may have this key. */
export function isTemplateKey(key: string): boolean {
  return /^[0-9a-f]{8,40}$/.test(key);
}
