// Application for the tests of WebSockets. Its routes accept messages `{ text }`.

import { setTimeout as sleep } from "node:timers/promises";

import { type AppOptions, createApp, defineMiddleware, defineWrapper, SocketClosedError } from "@kit/core";
import type { ServerAdapter } from "@kit/types";

import {
  compiled,
  cookiesOf,
  headersOf,
  objectOf,
  paramsOf,
  queryOf,
  responseOf,
  route,
} from "../../packages/core/test/support/compiled.ts";

interface Message {
  readonly text: string;
}

/** Socket as the handlers of this application receive it. */
interface Socket extends AsyncIterable<Message> {
  readonly isOpen: boolean;
  send(message: Message): Promise<void>;
  close(code?: number, reason?: string): void;
}

interface Input {
  readonly params: { readonly id: number };
  readonly query: { readonly name?: string };
  readonly socket: Socket;
  readonly ctx: {
    readonly signal: AbortSignal;
    readonly ip: string;
    readonly headers: Readonly<Record<string, string>>;
    header(name: string, value: string): void;
    fail(status: number, code: string, message: string): never;
  };
}

const messages = { in: objectOf("In", { text: "string" }), out: responseOf("Out", { text: "string" }) };
/** Validator whose description is longer than a reason may be. */
const long: typeof messages.in = {
  ...messages.in,
  failures: (value) => {
    const failures = messages.in.failures(value);
    for (const failure of failures) failure.expected = "\u00fc".repeat(200);
    return failures;
  },
};
const ws = (ref: string, parts: object = {}): ReturnType<typeof route> =>
  route(ref, { status: 101, socket: messages, ...parts });

/** Events that handlers have noticed, by the name that the client has sent. */
export const noticed: Map<string, string[]> = new Map();

/** Lets the handlers of `WS /stuck` read. */
export const unstuck: Map<string, PromiseWithResolvers<void>> = new Map();

/** Lets the handlers of `WS /late` continue, which fail then. */
export const released: PromiseWithResolvers<void> = Promise.withResolvers();

function note(name: string, event: string): void {
  noticed.set(name, [...(noticed.get(name) ?? []), event]);
}

const handlers = {
  "WS /echo": async ({ socket }: Input) => {
    for await (const { text } of socket) await socket.send({ text });
  },
  "WS /rooms/:id": async ({ params, query, socket, ctx }: Input) => {
    await socket.send({ text: `${params.id} ${query.name ?? "nobody"} ${ctx.ip} ${ctx.headers["x-color"]}` });
  },
  "WS /failing": async ({ socket }: Input) => {
    for await (const { text } of socket) throw new Error(text);
  },
  "WS /close": async ({ socket }: Input) => {
    for await (const { text } of socket) socket.close(4001, text);
  },
  "WS /broken": async ({ socket }: Input) => {
    await socket.send({ text: 1 } as never);
  },
  "WS /watched": async ({ query: { name = "" }, socket, ctx }: Input) => {
    ctx.signal.addEventListener("abort", () => note(name, "aborted"));
    note(name, "opened");
    for await (const { text } of socket) note(name, text);
    note(name, socket.isOpen ? "open" : "closed");
    await socket.send({ text: "late" }).catch((error: unknown) => {
      note(name, error instanceof SocketClosedError ? `rejected ${error.closeCode}` : String(error));
    });
  },
  "WS /flood": async ({ query: { name = "" }, socket }: Input) => {
    const text = "x".repeat(16 * 1024);
    let sent = 0;
    for (; sent < 4096; sent += 1) {
      await socket.send({ text });
      if (sent % 16 === 15) noticed.set(name, [`${sent + 1}`]);
    }
  },
  "WS /reading": async ({ query: { name = "" }, socket }: Input) => {
    let read = 0;
    for await (const { text } of socket) {
      read += text.length;
      noticed.set(name, [`${read}`]);
      await sleep(text === "x" ? 0 : 5);
    }
  },
  "WS /guarded": async ({ socket }: Input) => {
    await socket.send({ text: "in" });
  },
  "WS /wrapped": async ({ socket }: Input) => {
    await socket.send({ text: "in" });
  },
  "WS /late": async ({ socket }: Input) => {
    for await (const { text } of socket) await socket.send({ text });
    await released.promise;
    throw new Error("The handler failed after the end of its socket");
  },
  "WS /stuck": async ({ query: { name = "" }, socket, ctx }: Input) => {
    ctx.signal.addEventListener("abort", () => note(name, "aborted"));
    note(name, "opened");
    await unstuck.get(name)!.promise;
    for await (const { text } of socket) void text;
    note(name, "ended");
  },
  "WS /early": async ({ socket }: Input) => {
    for await (const { text } of socket) await socket.send({ text });
  },
  "WS /headers": async ({ socket }: Input) => {
    await socket.send({ text: "in" });
  },
  "WS /long": async ({ socket }: Input) => {
    for await (const { text } of socket) await socket.send({ text });
  },
  "GET /plain": () => ({ text: "plain" }),
};

const guard = defineMiddleware(({ ctx }) => {
  if (ctx.headers["x-token"] !== "secret") ctx.fail(401, "UNAUTHORIZED", "Send x-token");
  ctx.header("x-guarded", "yes");
});
/** Sets the response header that the request names, after a while. */
const header = defineMiddleware(async ({ ctx }) => {
  note(ctx.headers["x-note"] ?? "", "middleware");
  await sleep(Number(ctx.headers["x-wait"] ?? 0));
  const name = ctx.headers["x-name"];
  if (name !== undefined) ctx.header(name, "v1");
});
const wrapper = defineWrapper<{ adds: object }>(async ({ ctx }, next) => {
  const token = ctx.headers["x-token"];
  if (token === undefined) ctx.fail(401, "UNAUTHORIZED", "Send x-token");
  const answer = await next({});
  if (token !== "secret") ctx.fail(401, "UNAUTHORIZED", "Send x-token");
  answer.headers.set("x-wrapped", `${answer.status}`);
  return answer;
});

/** Returns the options of the application. */
export function socketOptions(): Omit<AppOptions, "server"> {
  const name = { query: queryOf("Query", { name: "string?" }) };
  const groups = (keys: readonly (keyof typeof handlers)[]): never =>
    Object.fromEntries(keys.map((key) => [key, handlers[key]])) as never;
  const guarded = ["WS /guarded", "WS /wrapped", "WS /headers", "WS /early"] as const;
  return {
    compiled: compiled(
      ws("WS /echo"),
      ws("WS /rooms/:id", {
        params: paramsOf("Params", { id: "number" }),
        headers: headersOf("Headers", { "x-color": "string" }),
        cookies: cookiesOf("Cookies", { sid: "string?" }),
        ...name,
      }),
      ws("WS /long", { socket: { ...messages, in: long } }),
      ws("WS /late"),
      ws("WS /failing"),
      ws("WS /close"),
      ws("WS /broken"),
      ws("WS /watched", name),
      ws("WS /flood", name),
      ws("WS /reading", name),
      ws("WS /stuck", name),
      ws("WS /early", { middleware: ["header"] }),
      ws("WS /headers", { middleware: ["header"] }),
      ws("WS /guarded", { middleware: ["guard"] }),
      ws("WS /wrapped", { middleware: ["wrapper"], wrappers: { wrapper: {} } }),
      route("GET /plain", { response: responseOf("Plain", { text: "string" }) }),
    ),
    routes: [
      {
        handlers: groups(
          (Object.keys(handlers) as (keyof typeof handlers)[]).filter(
            (key) => !guarded.includes(key as never),
          ),
        ),
      },
      { handlers: groups(["WS /guarded"]), middleware: [{ name: "guard", middleware: guard, priority: 0 }] },
      {
        handlers: groups(["WS /headers", "WS /early"]),
        middleware: [{ name: "header", middleware: header, priority: 0 }],
      },
      {
        handlers: groups(["WS /wrapped"]),
        middleware: [{ name: "wrapper", middleware: wrapper, priority: 0 }],
      },
    ],
    cors: { origins: ["https://app.example.com"], credentials: true },
    limits: { bodyBytes: 64 * 1024 },
    requestTimeoutMs: 500,
    env: "development",
    logging: { level: "fatal" },
  } as unknown as Omit<AppOptions, "server">;
}

/** Starts the application on a server. */
export function createSocketApp(
  server: ServerAdapter,
  sockets: AppOptions["sockets"] = {},
): ReturnType<typeof createApp> {
  return createApp({ ...socketOptions(), sockets, server } as AppOptions);
}
