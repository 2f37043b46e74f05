// Application for the cases of `conformance/contracts.json`: headers, cookies, replies, details of errors, and limits of a route. Its
// contracts are those of the program `contracts` in `crates/kit-test-programs`, and it runs the code that kit generates for them.

import { type AppOptions, createApp, type RequestContext } from "@kit/core";
import type { ServerAdapter } from "@kit/types";

import program from "../../crates/kit-emit/tests/goldens/contracts/routes/index.ts";
import type { Served } from "./application.ts";

interface Input {
  readonly params: { readonly id: string };
  readonly query: { readonly sku?: string };
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Readonly<Record<string, unknown>>;
  readonly body: { readonly sku: string; readonly count: number; readonly "x-tenant": string };
  readonly reply: (status: number, ...parts: unknown[]) => unknown;
  readonly ctx: RequestContext;
}

/** Keys of signed cookies: `new` and `old` of `conformance/set-cookies.json`. */
export const cookieKeys: readonly string[] = [
  "new-key-new-key-new-key-new-key-new",
  "old-key-old-key-old-key-old-key-old",
];

const day = new Date("2026-01-02T03:04:05.678Z");
const id = "6f1d2c3b-0a9e-4f8d-8c7b-6a5d4e3f2a1b";
const required = { location: `/orders/${id}`, etag: '"1"', "x-remaining": 7, "x-expires": day };

/** Creates the JSON of values with dates and bigints. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `${item}` : item));
}

function orderOf({ sku, count }: Input["body"]): object {
  return { id, sku, count, orderedAt: day, secret: "inside" };
}

/** Answers of `POST /orders`, by the `sku` of its body. Any other `sku` is answered with the reply 201. */
const answers: Readonly<Record<string, (input: Input) => unknown>> = {
  headers: ({ reply, headers }) => reply(202, { job: jsonOf(headers), secret: "inside" }),
  cookies: ({ reply, cookies }) => reply(202, { job: jsonOf(cookies) }),
  moved: async ({ reply }) => reply(303, { location: "/orders/elsewhere" }),
  "all headers": ({ reply, body }) =>
    reply(201, orderOf(body), {
      ...required,
      "x-total": 18446744073709551616n,
      "x-cached": false,
      "x-kind": "fast",
      vary: ["accept", "origin"],
      "x-sizes": [1, 2.5],
      "set-cookie": ["a=1", "b=2"],
      "x-secret": "inside",
    }),
  "own headers": ({ reply, body, ctx }) => {
    ctx.header("etag", '"old"').header("x-own", "1").header("set-cookie", "own=1");
    return reply(201, orderOf(body), { ...required, "set-cookie": ["a=1"] });
  },
  "own cookies": ({ reply, body, ctx }) => {
    ctx.cookie("__Host-sid", "a b;ä", { maxAge: 60 }).cookie("theme", "dark", { httpOnly: false });
    ctx.cookie("theme", null).cookie("lang", "de", { sameSite: "strict", path: "/shop" });
    return reply(201, orderOf(body), required);
  },
  "signed cookie": ({ reply, ctx }) => {
    ctx.cookie("__Host-user", "u1 ü", { signed: true });
    return reply(202, { job: "set" });
  },
  "read signed cookie": ({ reply, ctx }) => reply(202, { job: ctx.signedCookie("user") ?? "none" }),
  "ignored cookie": ({ reply, ctx }) => {
    ctx.cookie("__Host-user", "u1", { domain: "example.com" });
    return reply(202, { job: "set" });
  },
  "line break": ({ reply, body }) => reply(201, orderOf(body), { ...required, etag: "1\r\nx-split: 2" }),
  "latin-1": ({ reply, body }) => reply(201, orderOf(body), { ...required, etag: '"é"' }),
  "outside of latin-1": ({ reply, body }) => reply(201, orderOf(body), { ...required, etag: '"€"' }),
  "no header": ({ reply, body }) => reply(201, orderOf(body), { location: "/" }),
  "no body": ({ reply }) => reply(202),
  "no reply": ({ body }) => orderOf(body),
  "other status": ({ reply }) => reply(200, {}),
  "ctx.status": ({ reply, ctx }) => ctx.status(200) && reply(202, { job: "1" }),
  "ctx.send": ({ ctx }) => ctx.send("text"),
  "sold out": ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left: 0, again: day, secret: "inside" }),
  "wrong details": ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left: null }),
  "unpaid with cookie": ({ ctx }) => ctx.cookie("tried", "1").fail(402, "PAYMENT_FAILED", "Not paid"),
  unpaid: ({ ctx }) => ctx.fail(402, "PAYMENT_FAILED", "Not paid"),
  slow: () => new Promise(() => undefined),
};

const handlers = {
  "POST /orders": (input: Input) =>
    answers[input.body.sku]?.(input) ?? input.reply(201, orderOf(input.body), required),
  "GET /orders/:id": ({ params, headers, reply }: Input) =>
    (headers["if-none-match"] as string[] | undefined)?.includes('"1"') === true
      ? reply(304, { etag: '"1"' })
      : reply(200, { id: params.id, sku: "a", count: 1, orderedAt: day }, { etag: '"1"' }),
  "DELETE /orders/:id": ({ params, reply, ctx }: Input) =>
    params.id === id
      ? reply(204)
      : ctx.fail(404, "ORDER_NOT_FOUND", "No such order", { id: params.id, more: 1 }),
  "GET /session": ({ headers, cookies }: Input) => ({
    user: `${String(headers["x-tenant"])} ${String(cookies["sid"])}`,
    visits: 1,
  }),
  "PUT /session": ({ body }: Input) => ({ user: body["x-tenant"], visits: 2 }),
  "GET /stock": ({ query }: Input) => ({ pieces: query.sku === undefined ? 0 : 1 }),
};

/** Returns the options of the application, without a server. */
export function contractOptions(bodyLimit: number): AppOptions {
  return {
    env: "production",
    signals: false,
    compiled: program,
    cookies: { keys: cookieKeys },
    limits: { bodyBytes: bodyLimit },
    logging: { level: "fatal" },
    routes: [
      {
        handlers: handlers as never,
        on: { "POST /orders": { limits: { bodyBytes: 4096 }, requestTimeoutMs: 2000 } },
      },
    ],
  };
}

/** Starts the application on a server. */
export async function serveContracts(server: ServerAdapter, bodyLimit: number): Promise<Served> {
  const app = createApp({ ...contractOptions(bodyLimit), server });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close({ graceMs: 0 }) };
}
