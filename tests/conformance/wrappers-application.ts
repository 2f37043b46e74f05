// Application for the cases of `conformance/wrappers.json`. Its contracts are those of the program `wrappers` in
// `crates/kit-test-programs`, and it runs the code that kit generates for them. The request header `x-mode` chooses what
// wrappers and handlers do.

import {
  type AppOptions,
  createApp,
  defineMiddleware,
  defineWrapper,
  type Failure,
  type Reply,
  type RequestContext,
} from "@kit/core";
import type { ServerAdapter } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/wrappers/routes/index.ts";
import type { Served } from "./application.ts";

interface Queued {
  readonly position: number;
}

/** Adds a property, and a header with the status that it saw. Notes each error of the wrapped code in a header. */
const timed = defineWrapper<{ adds: { startedAt: number } }>(async ({ ctx, headers }, next) => {
  if (headers["x-mode"] === "next twice") {
    await next({ startedAt: 1 });
    return next({ startedAt: 2 });
  }
  try {
    const answer = await next({ startedAt: 1 });
    answer.headers.set("x-seen", `${answer.status} ${String(answer.headers.get("x-inner"))}`);
    answer.headers.delete("x-removed");
    ctx.header("x-after", "timed");
    return answer;
  } catch (error) {
    ctx.header("x-failed", (error as Error).name === "Error" ? "crash" : "refused");
    throw error;
  }
});

const tagged = defineMiddleware(({ ctx }) => {
  ctx.header("x-outer", "tagged").header("x-shared", "tagged");
});

const cached = defineWrapper<{
  replies: Reply<304, void, { etag: string }> | Reply<202, Queued, { "retry-after": number }>;
}>(async ({ headers, reply, ctx }, next) => {
  switch (headers["x-mode"]) {
    case "queue":
      ctx.header("x-own", "cached");
      return reply(202, { position: 3 }, { "retry-after": 5 });
    case "not modified": {
      await next();
      ctx.header("x-own", "cached");
      return reply(304, { etag: '"1"' });
    }
    case "rescue":
      try {
        return await next();
      } catch {
        return reply(202, { position: 1 }, { "retry-after": 1 });
      }
    case "no answer":
      await next();
      return undefined as never;
    case "undeclared":
      return (reply as unknown as (status: number) => never)(303);
    default:
      return next();
  }
});

const limited = defineWrapper<{ errors: Failure<429, "LIMITED", { limit: number }> }>(
  ({ headers, ctx }, next) =>
    headers["x-mode"] === "limit" ? ctx.fail(429, "LIMITED", "Too many requests", { limit: 3 }) : next(),
);

interface Input {
  readonly params: { readonly id: number };
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
  readonly ctx: RequestContext & { readonly startedAt: number };
}

/** Sets the headers of a handler, and fails if the mode asks for it. */
function begin(ctx: RequestContext): void {
  ctx.header("x-inner", "handler").header("x-shared", "handler").header("x-removed", "handler");
  const mode = ctx.headers["x-mode"];
  if (mode === "fail" || mode === "rescue") ctx.fail(404, "REPORT_NOT_FOUND", "There is no such report");
  if (mode === "crash") throw new Error("the handler crashed");
}

const handlers = {
  "GET /reports/:id": async ({ params, ctx }: Input) => {
    begin(ctx);
    return { id: params.id, isTimed: ctx.startedAt === 1, secret: "inside" };
  },
  "POST /reports": ({ ctx, reply }: Input) => {
    begin(ctx);
    return reply(201, { id: 7, isTimed: ctx.startedAt === 1, secret: "inside" }, { location: "/reports/7" });
  },
  "GET /plain": () => ({ free: true }),
};

const middleware = [
  { name: "limited", middleware: limited, priority: 20 },
  { name: "cached", middleware: cached, priority: 10 },
  { name: "tagged", middleware: tagged, priority: 0 },
  { name: "timed", middleware: timed, priority: -10 },
] as const;

/** Returns the options of the application, without a server. */
export function wrapperOptions(): AppOptions {
  return {
    env: "production",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [
      {
        handlers: handlers as never,
        on: { "GET /reports/:id": { middleware }, "POST /reports": { middleware } },
      },
    ],
  };
}

/** Starts the application on a server. */
export async function serveWrappers(server: ServerAdapter): Promise<Served> {
  const app = createApp({ ...wrapperOptions(), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}
