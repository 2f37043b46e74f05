import type { Places } from "./places.ts";

/** What a keeper is started with, as JSON in its only argument. */
export interface KeeperRequest {
  readonly places: Places;
  /** Milliseconds without a lease after which everything stops. */
  readonly idleMs: number;
}

/** The first line a client sends. The connection itself is the lease. */
export type LeaseRequest =
  /** A database by name; an owned one is the client's alone, and dropped when its connection ends. */
  | { readonly name: string; readonly owned?: boolean }
  /** A copy of the template with that key, for this client alone. */
  | { readonly template: string }
  /** Something to be done with the database of that name, or with the server. */
  | { readonly control: Control; readonly name: string };

/** `start` keeps the server until `stop`; `reset` makes a database anew, and empty. */
export type Control = "start" | "stop" | "reset";

/** The second line of a client that was told to prepare a template: it did. */
export interface Prepared {
  readonly prepared: true;
}

/** The line a client gets for each that it sends. */
export type LeaseReply =
  | { readonly url: string }
  /** There is no such template yet: this client is to fill the database, and to say so. */
  | { readonly prepare: string }
  /** How many others use the server that was to stop. */
  | { readonly users: number }
  | { readonly error: string; readonly hint?: string };

/** The exit code of a keeper that found another one at work. */
export const BUSY = 75;

/** Calls back with each line of a stream of text. */
export function onLines(stream: NodeJS.ReadableStream, listener: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) listener(line);
  });
}

/** Whether a database can have that name: one that needs no quotes anywhere, nor in a URL. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** Whether templates can have that key. */
export function isTemplateKey(key: string): boolean {
  return /^[0-9a-f]{8,40}$/.test(key);
}
