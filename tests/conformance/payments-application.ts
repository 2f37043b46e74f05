// The application of `tests/conformance/idempotency.test.ts` on Node. `rust-payments` is the same in Rust.

import { createApp, defineMiddleware, type RequestContext } from "@kit/core";
import { cancellable } from "@kit/core/pg";
import { idempotent } from "@kit/idempotency";
import type { Auth, ServerAdapter } from "@kit/types";
import type { Pool } from "pg";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";

interface Input {
  readonly body: { readonly text: string };
  readonly ctx: RequestContext;
}

const text = { text: "string" } as const;
const payment = {
  body: objectOf("PaymentText", text),
  response: responseOf("PaymentText", text),
  status: 201,
};
const once = { wrappers: { once: {} } };

const routes = [
  { ...route("POST /payments", { ...payment, middleware: ["once"] }), ...once },
  { ...route("POST /refunds", { ...payment, middleware: ["once"] }), ...once },
  { ...route("POST /stream", { ...payment, middleware: ["once"] }), ...once },
  { ...route("POST /nothing", { body: payment.body, status: 204, middleware: ["once"] }), ...once },
  {
    ...route("POST /owned", { ...payment, middleware: ["caller", "onceOfCaller"] }),
    wrappers: { onceOfCaller: {} },
  },
  {
    ...route("POST /scoped", {
      ...payment,
      middleware: ["caller", "onceOfCaller"],
      scopes: { anyOf: [["payments:write"]], isBearer: false, before: "onceOfCaller" },
    }),
    wrappers: { onceOfCaller: {} },
  },
  { ...route("POST /optional", { ...payment, middleware: ["onceIfKey"] }), wrappers: { onceIfKey: {} } },
];

/** Takes the id of the caller from the header `x-user`, and the scopes from `x-scopes`. */
const readCaller = defineMiddleware<{ auth: Auth<string> & { subject: string | undefined } }>(
  ({ headers }) => {
    const scopes = (headers["x-scopes"] ?? "").split(" ");
    return { auth: { subject: headers["x-user"], has: (scope) => scopes.includes(scope) } };
  },
);

/** Creates the application. Without a server, only `app.fetch` works. */
export function application(pool: Pool, server?: ServerAdapter): ReturnType<typeof createApp> {
  // The text `fail` fails after the payment was stored, `slow` takes a second, `long` has a long answer, and `cookie`
  // sets a cookie.
  const pay = async ({ body, ctx }: Input): Promise<{ text: string }> => {
    const db = cancellable(pool, ctx.signal);
    const { rows } = await db.query("insert into payments (text) values ($1) returning id", [body.text]);
    if (body.text === "fail") return ctx.fail(409, "SOLD_OUT", "There is no tea");
    if (body.text === "slow") await db.query("select pg_sleep(1)");
    if (body.text === "long") return { text: "x".repeat(2000) };
    ctx.header("x-payment", String(rows[0].id));
    if (body.text === "cookie") ctx.cookie("a", "1");
    return { text: `${body.text} ${rows[0].id}` };
  };
  return createApp({
    env: "production",
    signals: false,
    ...(server && { server }),
    compiled: compiled(...routes),
    logging: { level: "fatal" },
    routes: [
      {
        handlers: {
          "POST /payments": pay,
          "POST /refunds": pay,
          "POST /nothing": async (input: Input) => void (await pay(input)),
          "POST /stream": async (input: Input) => {
            await pay(input);
            return input.ctx.send(
              (async function* () {
                yield "a";
              })(),
            );
          },
        },
        middleware: [
          { name: "once", middleware: idempotent({ pool, by: "none", maxBytes: 1000 }), priority: 10 },
        ],
      },
      {
        handlers: { "POST /owned": pay, "POST /scoped": pay },
        middleware: [
          { name: "caller", middleware: readCaller, priority: 0 },
          { name: "onceOfCaller", middleware: idempotent({ pool, isolation: "serializable" }), priority: 10 },
        ],
      },
      {
        handlers: { "POST /optional": pay },
        middleware: [
          {
            name: "onceIfKey",
            middleware: idempotent({ pool, by: "none", required: false }),
            priority: 10,
          },
        ],
      },
    ],
  } as never);
}
