/** Tests of the types of wrappers, which only the type checker runs. */
import {
  type AnyFail,
  type AnyWrapper,
  type BaseContext,
  createApp,
  defineHandlers,
  defineMiddleware,
  defineWrapper,
  type MiddlewareEntry,
  type MiddlewareItem,
  type PassedAnswer,
  type Wrapper,
} from "@kit/core";
import type { Failure, Reply, RouteContract, ServerAdapter } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface Busy {
  waiting: number;
}

// Without a type argument, a wrapper adds nothing, and can only pass the answer on.
const passing = defineWrapper(async ({ ctx, headers, method, path, params }, next) => {
  expectTrue<Equal<typeof ctx, BaseContext & AnyFail>>();
  expectTrue<Equal<typeof headers, Readonly<Record<string, string | undefined>>>>();
  expectTrue<Equal<[typeof method, typeof path, (typeof params)[string]], [string, string, string]>>();
  const answer = await next();
  expectTrue<Equal<typeof answer, PassedAnswer>>();
  expectTrue<Equal<typeof answer.status, number>>();
  expectTrue<Equal<typeof answer.body, unknown>>();
  answer.headers.set("x-a", "1");
  // @ts-expect-error -- the status belongs to the contract
  answer.status = 201;
  return answer;
});
expectTrue<Equal<typeof passing, Wrapper<{}>>>();
// @ts-expect-error -- next takes no argument, because the wrapper adds nothing
defineWrapper((_input, next) => next({ user: "u" }));
// @ts-expect-error -- a wrapper cannot respond with ctx.send
defineWrapper(({ ctx }) => ctx.send("text"));
// @ts-expect-error -- only replies set a status
defineWrapper(({ ctx }, next) => (ctx.status(204), next()));
// @ts-expect-error -- a plain object is no answer
defineWrapper(async () => ({ status: 200, headers: new Headers(), body: {} }));
// @ts-expect-error -- the wrapper returns nothing
defineWrapper(async (_input, next) => void (await next()));
// @ts-expect-error -- the wrapper declares no replies
defineWrapper(({ reply }) => reply(204));

// What a wrapper adds is the argument of `next`.
const adding = defineWrapper<{ adds: { userId: string } }>((_input, next) => next({ userId: "u" }));
// @ts-expect-error -- the argument is missing
defineWrapper<{ adds: { userId: string } }>((_input, next) => next());
// @ts-expect-error -- the property has another type
defineWrapper<{ adds: { userId: string } }>((_input, next) => next({ userId: 1 }));
defineWrapper<{ adds: { userId?: string } }>((_input, next) => next());

// A wrapper replies with what it declares.
defineWrapper<{ replies: Reply<304> | Reply<202, Busy, { "retry-after": number }> }>(
  async ({ reply }, next) => {
    // @ts-expect-error -- the status is not declared
    reply(201);
    // @ts-expect-error -- the body is missing
    reply(202);
    // @ts-expect-error -- the body has another type
    reply(202, { waiting: "1" }, { "retry-after": 1 });
    if (Math.random() < 0.5) return reply(304);
    return Math.random() < 0.5 ? reply(202, { waiting: 1 }, { "retry-after": 1 }) : next();
  },
);

// Failures are typed like those of contracts.
defineWrapper<{ errors: Failure<429, "LIMITED", { limit: number }> }>(({ ctx }, next) => {
  if (Math.random() < 0.5) return ctx.fail(429, "LIMITED", "Too many requests", { limit: 1 });
  // @ts-expect-error -- the code is not declared
  if (Math.random() < 0.5) return ctx.fail(429, "OTHER", "Too many requests");
  // @ts-expect-error -- the details are missing
  if (Math.random() < 0.5) return ctx.fail(429, "LIMITED", "Too many requests");
  return next();
});

// @ts-expect-error -- the part is misspelt
defineWrapper<{ add: { userId: string } }>((_input, next) => next());
// @ts-expect-error -- replies are of the type Reply
defineWrapper<{ replies: Busy }>((_input, next) => next());
// @ts-expect-error -- ctx already has this property
defineWrapper<{ adds: { traceId: string } }>((_input, next) => next({ traceId: "" }));

// Handlers may read what wrappers of their chain add.
interface NoteRoutes {
  "GET /notes": RouteContract<void, void, void, string[]>;
}
declare const server: ServerAdapter;
const guarded = defineHandlers<NoteRoutes, { userId: string }>({ "GET /notes": ({ ctx }) => [ctx.userId] });
createApp({ server, middleware: [adding], routes: [{ handlers: guarded }] });
createApp({
  server,
  routes: [{ handlers: guarded, middleware: [{ name: "adding", middleware: adding, priority: 0 }] }],
});
createApp({
  server,
  routes: [{ handlers: guarded, middleware: [passing], on: { "GET /notes": { middleware: [adding] } } }],
});
// @ts-expect-error -- the wrapper of the group adds nothing
createApp({ server, routes: [{ handlers: guarded, middleware: [passing] }] });
const other = defineMiddleware<{ role: string }>(() => ({ role: "r" }));
// @ts-expect-error -- neither adds `userId`
createApp({ server, middleware: [other], routes: [{ handlers: guarded, middleware: [passing] }] });

// The type of a wrapper names its parts, as in the declaration file of a package, and no type hides a part.
expectTrue<Equal<typeof adding, Wrapper<{ adds: { userId: string } }>>>();
const annotated: Wrapper<{ adds: { userId: string }; replies: Reply<304> }> = defineWrapper(
  async ({ reply }, next) => (Math.random() < 0.5 ? reply(304) : next({ userId: "u" })),
);
createApp({ server, middleware: [annotated], routes: [{ handlers: guarded }] });
declare function takes<TParts extends object>(wrapper: Wrapper<TParts>): void;
// @ts-expect-error -- the type has no replies, but the wrapper has
takes<{ adds: { userId: string } }>(annotated);
// @ts-expect-error -- the type has no parts, but the wrapper has
takes<{}>(annotated);

// Lists of any middleware are not checked.
const any: AnyWrapper = adding;
const items: MiddlewareItem[] = [any, other];
const entries: MiddlewareEntry[] = [{ name: "adding", middleware: adding, priority: 0 }];
createApp({ server, middleware: items, routes: [{ handlers: guarded }] });
createApp({ server, middleware: entries, routes: [{ handlers: guarded }] });
