import type { ReceivedRequest } from "@kit/types";

import { hidden } from "./headers.ts";

/** Of a request, what a command line needs. */
export interface CurlRequest {
  readonly method: string;
  readonly target: string;
  readonly received: ReceivedRequest | null;
}

/** What curl makes itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "user-agent",
  "transfer-encoding",
  "expect",
]);

/**
 * The request as a command for a POSIX shell. The value of a hidden header comes from a variable, and the shell stops with an error if
 * the variable is not set. Other hidden parts stand in the command as they are shown.
 */
export function curlOf({ method, target, received }: CurlRequest, base: string): string {
  const body = received?.body ?? null;
  const isImplied = method === (body === null ? "GET" : "POST");
  const words = ["curl", "-i"];
  // A HEAD that waits for a body would wait for ever.
  if (method === "HEAD") words.push("-I");
  else if (!isImplied) words.push("-X", quoted(method));
  const lines = [[...words, quoted(base.replace(/\/$/, "") + target)].join(" ")];
  for (const [name, value] of Object.entries(received?.headers ?? {})) {
    if (ownHeaders.has(name.toLowerCase())) continue;
    if (value === hidden) {
      lines.push(`-H ${quoted(`${name}: `)}"\${${variableOf(name)}:?}"`);
      continue;
    }
    // To curl a header without a value is one to leave out, unless a semicolon ends it.
    lines.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  // An `@` at the beginning would name a file.
  if (body !== null) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Name of the shell variable for a header: `AUTHORIZATION`, `X_API_KEY`. */
function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
