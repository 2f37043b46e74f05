/** Tests of the types of contracts with named slots, replies and failures, which only the type checker runs. */
import {
  type BaseContext,
  createApp,
  defineHandlers,
  type HandlerInput,
  type RequestContext,
} from "@kit/core";
import type { Failure, Reply, Route, RouteContract, ServerAdapter } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface Order {
  id: string;
  state: "open" | "closed";
}
interface Job {
  jobId: string;
}
type Placed = Reply<201, Order, { location: string; etag?: string }>;
type OrderReply = Placed | Reply<202, Job> | Reply<204> | Reply<303, void, { location: string }>;
type OrderFailure = Failure<409, "SOLD_OUT", { left: number }> | Failure<402, "PAYMENT_FAILED">;

interface OrderRoutes {
  "POST /orders": Route<{
    headers: { "x-tenant": string; "idempotency-key"?: string };
    cookies: { sid: string };
    body: { item: string };
    response: OrderReply;
    errors: OrderFailure;
  }>;
  "GET /orders/:id": Route<{ params: { id: string }; response: Order }>;
  "GET /orders": Route<{ query: { page?: number }; response: Order[]; errors: Failure<410, "GONE"> }>;
  "DELETE /orders/:id": Route<{ params: { id: string }; response: Reply<204, void, { "x-left"?: number }> }>;
}
declare const order: Order;

// The input has the slots that the contract declares, and `reply` if it declares replies.
type Post = HandlerInput<OrderRoutes["POST /orders"]>;
expectTrue<Equal<keyof Post, "headers" | "cookies" | "body" | "reply" | "ctx">>();
expectTrue<Equal<Post["headers"], { "x-tenant": string; "idempotency-key"?: string }>>();
expectTrue<Equal<Post["cookies"], { sid: string }>>();
expectTrue<Equal<keyof HandlerInput<OrderRoutes["GET /orders/:id"]>, "params" | "ctx">>();
expectTrue<Equal<HandlerInput<OrderRoutes["GET /orders/:id"]>["ctx"], RequestContext & {}>>();

// `RouteContract` is a case of `Route`.
type Old = RouteContract<{ id: string }, void, void, Order>;
expectTrue<Equal<HandlerInput<Old>, HandlerInput<OrderRoutes["GET /orders/:id"]>>>();
expectTrue<Equal<Old["errors"], void>>();
const route: Route<{ params: { id: string }; query: void; body: void; response: Order }> = {} as Old;
void route;

// A contract refuses names that are not slots, and errors that are not failures.
// @ts-expect-error -- the slot is misspelt
type Misspelt = Route<{ heders: { a: string } }>;
// @ts-expect-error -- the error is not a failure
type NoFailure = Route<{ errors: { code: "A" } }>;
// @ts-expect-error -- the details are not an object
type BadDetails = Failure<409, "A", string>;
// @ts-expect-error -- the status is not a number
type BadStatus = Reply<"201", Order>;
export type Unused = [Misspelt, NoFailure, BadDetails, BadStatus];

const valid = defineHandlers<OrderRoutes>({
  "POST /orders": async ({ headers, cookies, body, reply, ctx }) => {
    ctx.log.info(cookies.sid, { key: headers["idempotency-key"]?.length });
    if (body.item === "a") return reply(201, { id: "1", state: "open" }, { location: "/orders/1" });
    if (body.item === "b") return reply(202, { jobId: "1" });
    if (body.item === "c") return reply(303, { location: "/" });
    if (body.item === "d") return ctx.fail(409, "SOLD_OUT", "Sold out", { left: 0 });
    if (body.item === "e") ctx.fail(402, "PAYMENT_FAILED", "No money");
    return reply(204);
  },
  "GET /orders/:id": ({ ctx }) => ctx.fail(418, "TEAPOT", "Any failure", { a: 1 }),
  "GET /orders": ({ query, ctx }) =>
    query.page === 1
      ? ctx.status(203) && [order]
      : query.page === 2
        ? ctx.send("")
        : ctx.fail(410, "GONE", ""),
  "DELETE /orders/:id": ({ params, reply, ctx }) =>
    params.id === ""
      ? ctx.fail(418, "TEAPOT", "")
      : params.id === "1"
        ? reply(204)
        : reply(204, { "x-left": 1 }),
});
createApp({ server: {} as ServerAdapter, routes: [{ handlers: valid }] });

type Handler = (input: Post) => unknown;
const refused: Handler[] = [
  // @ts-expect-error -- the status is not declared
  ({ reply }) => reply(200, order),
  // @ts-expect-error -- the status is of any number
  ({ reply }) => reply(201 as number, order, { location: "/" }),
  // @ts-expect-error -- the required header is missing
  ({ reply }) => reply(201, order),
  // @ts-expect-error -- the required header is missing
  ({ reply }) => reply(201, order, { etag: "1" }),
  // @ts-expect-error -- the header is not declared
  ({ reply }) => reply(201, order, { location: "/", age: "1" }),
  // @ts-expect-error -- the body is missing
  ({ reply }) => reply(202),
  // @ts-expect-error -- the body is that of another reply
  ({ reply }) => reply(202, order),
  // @ts-expect-error -- the body has an excess property
  ({ reply }) => reply(202, { jobId: "1", more: true }),
  // @ts-expect-error -- the literal is not a member of the union
  ({ reply }) => reply(201, { id: "1", state: "lost" }, { location: "/" }),
  // @ts-expect-error -- the reply has no body
  ({ reply }) => reply(204, order),
  // @ts-expect-error -- the reply has no headers
  ({ reply }) => reply(202, { jobId: "1" }, { location: "/" }),
  // @ts-expect-error -- replies have a status of their own
  ({ ctx }) => ctx.status(201),
  // @ts-expect-error -- replies are JSON
  ({ ctx }) => ctx.send("text"),
  // @ts-expect-error -- also after a method that returns ctx
  ({ ctx }) => ctx.header("a", "b").status(201),
  // @ts-expect-error -- the code is not declared
  ({ ctx }) => ctx.fail(409, "LOST", "Lost"),
  // @ts-expect-error -- the status is that of another failure
  ({ ctx }) => ctx.fail(402, "SOLD_OUT", "Sold out", { left: 1 }),
  // @ts-expect-error -- the details are missing
  ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out"),
  // @ts-expect-error -- the details have another type
  ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left: "1" }),
  // @ts-expect-error -- the details have an excess property
  ({ ctx }) => ctx.fail(409, "SOLD_OUT", "Sold out", { left: 1, right: 2 }),
  // @ts-expect-error -- the failure has no details
  ({ ctx }) => ctx.fail(402, "PAYMENT_FAILED", "No money", {}),
  // @ts-expect-error -- the header is not declared
  ({ headers }) => headers["x-other"],
];
void refused;

defineHandlers<Pick<OrderRoutes, "POST /orders">>({
  // @ts-expect-error -- a value is not a reply
  "POST /orders": () => order,
});
defineHandlers<Pick<OrderRoutes, "POST /orders">>({
  // @ts-expect-error -- an object of the same form is not a reply
  "POST /orders": () => ({ status: 204, body: undefined, headers: {} }),
});
defineHandlers<Pick<OrderRoutes, "GET /orders/:id">>({
  // @ts-expect-error -- a contract without replies has no `reply`
  "GET /orders/:id": ({ reply }) => reply(200, order),
});

// Helpers may take the part of `ctx` that every handler has.
function tell(ctx: BaseContext): void {
  ctx.cookie("seen", "1").header("x-told", "1");
}
const helped: Handler = ({ ctx, reply }) => {
  tell(ctx);
  return reply(204);
};
void helped;

// A group may contain groups, and options of single routes.
interface Auth {
  userId: string;
}
const guarded = defineHandlers<Pick<OrderRoutes, "GET /orders/:id">, Auth>({
  "GET /orders/:id": ({ ctx }) => ({ id: ctx.userId, state: "open" }),
});
const both = defineHandlers<Pick<OrderRoutes, "GET /orders/:id" | "GET /orders">, Auth>({
  ...guarded,
  "GET /orders": () => [],
});
const auth = { name: "auth", middleware: () => ({ userId: "1" }), priority: 1 };
const server = {} as ServerAdapter;
createApp({ server, routes: [{ handlers: guarded, on: { "GET /orders/:id": { middleware: [auth] } } }] });
createApp({ server, routes: [{ middleware: [auth], routes: [{ handlers: guarded }, { handlers: both }] }] });
createApp({
  server,
  routes: [
    {
      prefix: "/v1",
      handlers: both,
      on: {
        "GET /orders/:id": { middleware: [auth], requestTimeoutMs: 0 },
        "GET /orders": { middleware: [auth], limits: { bodyBytes: 0 } },
      },
    },
  ],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- the other route has no middleware
    { handlers: both, on: { "GET /orders/:id": { middleware: [auth] } } },
  ],
});
createApp({
  server,
  // @ts-expect-error -- the middleware is in another group
  routes: [{ routes: [{ middleware: [auth], routes: [] }, { handlers: guarded }] }],
});
createApp({
  server,
  // @ts-expect-error -- the handlers have no such key
  routes: [{ handlers: valid, on: { "GET /order": { requestTimeoutMs: 1 } } }],
});
createApp({
  server,
  // @ts-expect-error -- the option is misspelt
  routes: [{ handlers: valid, on: { "GET /orders": { requestTimeout: 1 } } }],
});
createApp({
  server,
  // @ts-expect-error -- the property of the inner group is misspelt
  routes: [{ routes: [{ handlers: valid, midleware: [] }] }],
});
