import type { CompiledRoute } from "@kit/types";

import { type AppOptions, createApp, type LogEntry, type RequestContext } from "@kit/core";
import { compiled } from "./compiled.ts";
import { type MemoryResponse, type MemoryRequest, MemoryServer } from "./memory-server.ts";
import { quietStdout } from "./quiet-stdout.ts";

quietStdout();

/** Handler whose input has no contract. Each test checks the values that it reads. */
export type TestHandler = (input: {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly cookies: Record<string, unknown>;
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
  readonly body: Record<string, unknown>;
  readonly ctx: RequestContext & Record<string, unknown>;
}) => unknown;

/** Application that receives requests of a test and records its log entries. */
export interface Served {
  send(line: string, request?: MemoryRequest): Promise<MemoryResponse>;
  /** Entries of the log at or above the minimum level, which is `fatal` by default. */
  readonly log: readonly LogEntry[];
}

/** Route with its handler. */
export type TestRoute = readonly [CompiledRoute, TestHandler];

/** Starts an application on a memory server. */
export async function serve(
  routes: readonly TestRoute[],
  options: Partial<AppOptions> & { readonly logLevel?: "trace" | "info" } = {},
): Promise<Served> {
  const { logLevel, ...others } = options;
  const server = new MemoryServer();
  const log: LogEntry[] = [];
  const app = createApp({
    env: "production",
    signals: false,
    compiled: compiled(...routes.map(([route]) => route)),
    ...others,
    server,
    logging: { level: "fatal", ...(logLevel && { level: logLevel }), ...others.logging },
    plugins: [{ name: "log", onLog: (entry) => log.push(entry) }, ...(others.plugins ?? [])],
    routes: [{ handlers: Object.fromEntries(routes.map(([route, handler]) => [route.ref, handler])) }],
  } as AppOptions);
  await app.listen({ port: 0 });
  return { send: (line, request) => server.send(line, request), log };
}

/** Returns the property `error` of a JSON response body. */
export function errorOf({ text }: MemoryResponse): Record<string, unknown> {
  return (JSON.parse(text ?? "null") as { error: Record<string, unknown> }).error;
}

/** Returns the options of a request with a JSON body. */
export function json(value: unknown): MemoryRequest {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return { headers: { "content-type": "application/json" }, body };
}
