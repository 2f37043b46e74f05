import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { BuildState } from "@kit/types";

/** Path at which `kit dev` responds with the result of the last build. */
export const buildPath = "/__kit/build";

/** Reason why the application cannot respond, and the host names that requests may have. */
export interface Explanation {
  readonly build: BuildState;
  readonly accepts: (host: string | undefined) => boolean;
}

/**
 * Responds to a request in place of the application: with 503 and the reason why the application does not run, or with the result of the
 * last build.
 */
export function explain(
  request: IncomingMessage,
  response: ServerResponse,
  { build, accepts }: Explanation,
): void {
  if (!accepts(request.headers.host)) {
    const message = `kit dev does not accept the \`Host\` header of this request; to accept the host, start \`kit dev --allow-host <name>\``;
    answer(403, "application/json", JSON.stringify({ error: { code: "HOST_NOT_ALLOWED", message } }));
  } else if (request.url === buildPath) {
    answer(200, "application/json", JSON.stringify(build));
  } else if (request.headers.accept?.includes("text/html") === true) {
    answer(503, "text/html; charset=utf-8", page(build.text));
  } else {
    const message = "The application does not run; the output of `kit dev` contains the reason";
    const details = { build: build.text };
    const traceId = randomBytes(16).toString("hex");
    answer(
      503,
      "application/json",
      JSON.stringify({ error: { code: "APP_UNAVAILABLE", message, details, traceId } }),
    );
  }
  // Each response closes its connection, because the next request must reach the application once it runs.
  function answer(status: number, type: string, body: string): void {
    const headers = { "content-type": type, "cache-control": "no-store", connection: "close" };
    response.writeHead(status, { ...headers, "x-kit-build": build.status }).end(body);
    request.resume();
  }
}

function page(text: string): string {
  const shown = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>kit dev</title>
<style>body{font:15px system-ui;margin:3rem;background:#16181d;color:#e6e6e6}pre{font:14px ui-monospace,monospace;white-space:pre-wrap;background:#0d0f12;padding:1rem;border-radius:6px}</style>
<h1>The application does not run</h1><pre>${shown}</pre><p>This page goes away when the mistake does.</p>`;
}
