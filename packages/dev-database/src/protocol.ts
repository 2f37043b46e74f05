import type { Places } from "./places.ts";

/** What a keeper is started with, as JSON in its only argument. */
export interface KeeperRequest {
  readonly places: Places;
  /** Milliseconds without a lease after which everything stops. */
  readonly idleMs: number;
}

/** The first and only line a client sends. */
export interface LeaseRequest {
  readonly name: string;
}

/** The first and only line a client gets. The connection itself is the lease. */
export type LeaseReply = { readonly url: string } | { readonly error: string; readonly hint?: string };

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
