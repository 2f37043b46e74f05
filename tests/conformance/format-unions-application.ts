// Application for the cases of `conformance/format-unions.json`: bodies that have one of several formats. Its contracts are
// those of the program `formats` in `crates/kit-test-programs`, and it runs the code that kit generates for them.

import { type AppOptions, createApp, type RequestContext } from "@kit/core";
import type { ServerAdapter } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/formats/routes/index.ts";
import type { Served } from "./application.ts";

interface Order {
  readonly title: string;
  readonly count: number;
  readonly due: Date;
}

interface Input<TBody = void> {
  readonly body: TBody;
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
  readonly ctx: RequestContext;
}

const orders: readonly Order[] = [1, 2].map((count) => ({
  title: `Order ${count}`,
  count,
  due: new Date("2026-01-02T03:04:05.678Z"),
}));

/** Returns the type and the value of a body as text. */
function shown({ type, value }: { readonly type: string; readonly value: unknown }): {
  readonly type: string;
  readonly text: string;
} {
  if (value instanceof Uint8Array) return { type, text: Buffer.from(value).toString("latin1") };
  return { type, text: typeof value === "string" ? value : JSON.stringify(value) };
}

const csv = (): string =>
  ["title,count", ...orders.map(({ title, count }) => `${title},${count}`), ""].join("\n");

const handlers = {
  "POST /orders": ({ body }: Input<{ type: string; value: unknown }>) => shown(body),
  "POST /photos": async ({ body }: Input<{ type: string; value: unknown }>) => {
    if (body.value instanceof Uint8Array) return shown(body);
    const { title, photo } = body.value as { title: string; photo: File };
    return { type: body.type, text: `${title} ${photo.name} ${await photo.text()}` };
  },
  "GET /report": ({ ctx }: Input) => {
    if (ctx.headers["x-mode"] === "send") return ctx.send("sent");
    if (ctx.headers["x-mode"] === "fail") ctx.fail(409, "CONFLICT", "The report is not ready");
    if (ctx.headers["x-mode"] === "vary") ctx.header("vary", "Accept-Language");
    return {
      "application/json": async () => orders,
      "text/csv": csv,
      "application/pdf": () => Buffer.from("%PDF-1.7"),
      "application/jsonl": () => orders,
    };
  },
  "GET /export": async ({ ctx, reply }: Input) => {
    const mode = ctx.headers["x-mode"];
    if (mode === "202") return reply(202, { percent: 50 });
    if (mode === "204") return reply(204);
    return reply(200, { "text/csv": async () => csv(), "application/json": () => orders[0] });
  },
  "GET /watch": () => ({
    "application/json": () => ({ percent: 50 }),
    "text/event-stream": async function* () {
      yield { event: "progress", data: { percent: 50 } };
    },
  }),
};

/** Returns the options of the application, without a server. `others` are handlers in place of the application's. */
export function formatOptions(others: object = {}): AppOptions {
  return {
    env: "production",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [{ handlers: { ...handlers, ...others } as never }],
  };
}

/** Starts the application on a server. */
export async function serveFormats(server: ServerAdapter): Promise<Served> {
  const app = createApp({ ...formatOptions(), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}
