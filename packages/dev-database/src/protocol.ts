import type { Paths } from "./paths.ts";

/** Configuration of a keeper, as JSON in its only argument. */
export interface KeeperRequest {
  readonly paths: Paths;
  /** Milliseconds without a lease after which the keeper and PostgreSQL stop. */
  readonly idleMs: number;
}

/** First line that a client sends. The connection itself is the lease. */
export type LeaseRequest =
  /** Requests a database by name. An owned database belongs to this client, and is dropped when its connection closes. */
  | { readonly name: string; readonly owned?: boolean }
  /** Requests a copy of the template with that key, for this client only. */
  | { readonly template: string }
  /** Requests an action on the database of that name, or on the server. */
  | { readonly control: Control; readonly name: string };

/** Action: `start` runs the server until `stop`; `reset` creates the database again, empty. */
export type Control = "start" | "stop" | "reset";

/** Second line of a client that prepares a template: the template is ready. */
export interface Prepared {
  readonly prepared: true;
}

/** Line that a client gets as the response to each line that it sends. */
export type LeaseReply =
  | { readonly url: string }
  /** The template does not exist. The client must fill this database, then send {@link Prepared}. */
  | { readonly prepare: string }
  /** Number of other users of the server that was to stop. */
  | { readonly users: number }
  | { readonly error: string; readonly hint?: string };

/** Exit code of a keeper that finds another keeper running. */
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

/** Returns true if a database can have that name: one that needs no quotes in SQL and no escapes in a URL. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** Returns true if a template can have that key. */
export function isTemplateKey(key: string): boolean {
  return /^[0-9a-f]{8,40}$/.test(key);
}
