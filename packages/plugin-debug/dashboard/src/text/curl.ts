import type { ReceivedRequest } from "@kit/types";

import { hidden } from "./headers.ts";

/** Parts of a recorded request that the `curl` command contains. */
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
 * Returns a `curl` command for a POSIX shell that sends a recorded request. The value of a hidden header comes from a shell variable, and
 * the shell stops with an error if the variable is not set. Other hidden parts stay as the sidecar shows them: `[redacted]`.
 */
export function curlOf({ method, target, received }: CurlRequest, base: string): string {
  const body = received?.body ?? null;
  const isImplied = method === (body === null ? "GET" : "POST");
  const words = ["curl", "-i"];
  // `-I` sends HEAD. With `-X HEAD`, curl would wait for a body that never comes.
  if (method === "HEAD") words.push("-I");
  else if (!isImplied) words.push("-X", quoted(method));
  const lines = [[...words, quoted(base.replace(/\/$/, "") + target)].join(" ")];
  for (const [name, value] of Object.entries(received?.headers ?? {})) {
    if (ownHeaders.has(name.toLowerCase())) continue;
    if (value === hidden) {
      lines.push(`-H ${quoted(`${name}: `)}"\${${variableOf(name)}:?}"`);
      continue;
    }
    // For curl, `name:` means to leave the header out, and `name;` means to send it with an empty value.
    lines.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  // `--data` would read a file if the body begins with `@`.
  if (body !== null) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Returns the name of the shell variable for a header: `AUTHORIZATION` for `authorization`, `X_API_KEY` for `x-api-key`. */
function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
