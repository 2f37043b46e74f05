import { createApp, type AppOptions } from "@kit/core";
import type { CompiledRoute, LogEntry, ServerAdapter } from "@kit/types";

import { compiled, responseOf, route } from "../../../core/test/support/compiled.ts";
import { quietStdout } from "../../../core/test/support/quiet-stdout.ts";
import type { TestHandler } from "../../../core/test/support/serve.ts";

quietStdout();

/** Application of a test. */
export interface Running extends AsyncDisposable {
  /** Sends a request to a path. */
  send(path: string, init?: RequestInit): Promise<Response>;
  readonly log: readonly LogEntry[];
}

/** Response body of all routes. */
const answer = responseOf("Answer", { text: "string" });

/**
 * Starts an application whose routes answer `{ text }`. Without a server, requests use `app.fetch`.
 *
 * @param handlers - Handlers by key, such as `GET /me`. Each returns `{ text }`.
 */
export async function start(
  handlers: Readonly<Record<string, TestHandler>>,
  options: Partial<AppOptions>,
  server?: ServerAdapter,
): Promise<Running> {
  const log: LogEntry[] = [];
  const names = (options.middleware ?? []).map((item) => ("name" in item ? item.name : "anonymous"));
  const routes: CompiledRoute[] = Object.keys(handlers).map((key) =>
    route(key, { response: answer, middleware: names }),
  );
  const app = createApp({
    env: "production",
    signals: false,
    compiled: compiled(...routes),
    ...options,
    ...(server && { server }),
    logging: { level: "debug" },
    plugins: [{ name: "log", onLog: (entry: LogEntry) => log.push(entry) }],
    routes: [{ handlers }],
  } as unknown as AppOptions);
  const close = (): Promise<void> => app.close({ graceMs: 0 });
  if (server === undefined) {
    const send = (path: string, init?: RequestInit): Promise<Response> =>
      app.fetch(new Request(`http://localhost${path}`, init));
    return { send, log, [Symbol.asyncDispose]: close };
  }
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, init);
  return { send, log, [Symbol.asyncDispose]: close };
}

/** Returns the code of an error response. */
export async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}
