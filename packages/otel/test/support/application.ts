import { createApp, type AppOptions, type TelemetryOptions } from "@kit/core";
import { ConflictError } from "@kit/errors";
import type { LogEntry, ServerAdapter, TelemetryCounts } from "@kit/types";
import { trace } from "@opentelemetry/api";

import { compiled, paramsOf, responseOf, route } from "../../../core/test/support/compiled.ts";
import type { TestHandler } from "../../../core/test/support/serve.ts";

/** Application that listens on a port, with its telemetry. */
export interface Running extends AsyncDisposable {
  readonly name: string;
  get(
    path: string,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<{ status: number; text: string }>;
  counts(): TelemetryCounts;
  /** Lets the handler of `GET /slow` finish. */
  finishSlow(): void;
}

const thing = responseOf("Thing", { id: "string" });
const program = compiled(
  route("GET /things/:id", {
    params: paramsOf("Id", { id: "string" }),
    response: thing,
    middleware: ["auth"],
  }),
  route("GET /fail", { response: thing, middleware: ["auth"] }),
  route("GET /slow", { response: thing, middleware: ["auth"] }),
  route("GET /plain", { response: thing, middleware: ["auth"] }),
);

/** Starts an application with telemetry. Its handlers send requests to the URL `peer`. */
export async function application(
  server: ServerAdapter,
  peer: string,
  telemetry: TelemetryOptions,
  log: LogEntry[] = [],
): Promise<Running> {
  const gate = Promise.withResolvers<void>();
  const handlers: Record<string, TestHandler> = {
    "GET /things/:id": async ({ params, ctx }) => {
      ctx.span!.setAttribute("thing.id", params["id"] as string);
      await Promise.resolve();
      trace.getActiveSpan()!.setAttributes({ "from.otel": [1, 2] });
      if (peer !== "") await fetch(peer).then((answer) => answer.text());
      ctx.log.warn("Thing read", { id: params["id"], password: "secret" });
      return { id: params["id"] };
    },
    "GET /fail": () => {
      throw new ConflictError("TAKEN", "It is taken");
    },
    "GET /slow": () => gate.promise.then(() => ({ id: "slow" })),
    "GET /plain": ({ ctx }) => {
      ctx.log.info("plain");
      return { id: "plain" };
    },
  };
  const app = createApp({
    server,
    compiled: { ...program, sensitive: ["password"] },
    env: "production",
    signals: false,
    middleware: [{ name: "auth", middleware: async () => undefined, priority: 1 }],
    routes: [{ handlers }],
    telemetry,
    plugins: [{ name: "log", onLog: (entry: LogEntry) => log.push(entry) }],
  } as unknown as AppOptions);
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  let closed: Promise<void> | undefined;
  return {
    name: server.name,
    get: async (path, headers = {}, method = "GET") => {
      // Uses `node:http`, because `fetch` creates spans here.
      const { request } = await import("node:http");
      return new Promise((resolve, reject) => {
        request({ port, host: "127.0.0.1", path, method, headers, agent: false }, (response) => {
          response
            .toArray()
            .then(
              (chunks) => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }),
              reject,
            );
        })
          .on("error", reject)
          .end();
      });
    },
    counts: () => app.telemetry()!,
    finishSlow: () => gate.resolve(),
    [Symbol.asyncDispose]: () => (closed ??= app.close({ graceMs: 1_000 })),
  };
}
