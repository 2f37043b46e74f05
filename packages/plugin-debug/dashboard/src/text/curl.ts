import type { ReceivedRequest } from "@kit/types";

import { hidden } from "./headers.ts";

/** Parts of a request that the command contains. */
export interface CurlRequest {
  readonly method: string;
  readonly target: string;
  readonly received: ReceivedRequest | null;
}

/** Headers that curl creates itself. */
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
 * Returns the request as a command for a POSIX shell. The value of a hidden header comes from a variable, and the shell stops with an error
 * if the variable is not set. Other hidden parts are in the command as they are shown.
 */
export function curlOf({ method, target, received }: CurlRequest, base: string): string {
  const body = received?.body ?? null;
  const isImplied = method === (body === null ? "GET" : "POST");
  const words = ["curl", "-i"];
  // With `-X HEAD`, curl would wait for a body without end.
  if (method === "HEAD") words.push("-I");
  else if (!isImplied) words.push("-X", quoted(method));
  const lines = [[...words, quoted(base.replace(/\/$/, "") + target)].join(" ")];
  for (const [name, value] of Object.entries(received?.headers ?? {})) {
    if (ownHeaders.has(name.toLowerCase())) continue;
    if (value === hidden) {
      lines.push(`-H ${quoted(`${name}: `)}"\${${variableOf(name)}:?}"`);
      continue;
    }
    // For curl, a header without a value means that the header is to be left out. A semicolon sends it with an empty value.
    lines.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  // `--data` would read a file if the body begins with `@`.
  if (body !== null) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Returns the name of the shell variable for a header: `AUTHORIZATION`, `X_API_KEY`. */
function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
