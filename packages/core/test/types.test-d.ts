/** Tests of the public types, which only the type checker runs. */
import {
  type AppOptions,
  createApp,
  defineHandlers,
  defineMiddleware,
  type HandlerInput,
  type MiddlewareEntry,
  type RequestContext,
} from "@kit/core";
import type { RouteContract, ServerAdapter } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface Note {
  id: string;
  createdAt: Date;
}
interface NoteRoutes {
  "GET /notes": RouteContract<void, { page?: number }, void, Note[]>;
  "GET /notes/:id": RouteContract<{ id: string }, void, void, Note>;
  "POST /notes": RouteContract<void, void, { title: string }, Note>;
  "DELETE /notes/:id": RouteContract<{ id: string }>;
}
interface Auth {
  userId: string;
}
declare const server: ServerAdapter;
declare const note: Note;

// The input of a handler has params, query and body if and only if the contract has them.
type Get = HandlerInput<NoteRoutes["GET /notes/:id"]>;
expectTrue<Equal<keyof Get, "params" | "ctx">>();
expectTrue<Equal<Get["params"], { id: string }>>();
expectTrue<Equal<Get["ctx"], RequestContext & {}>>();
expectTrue<Equal<keyof HandlerInput<NoteRoutes["GET /notes"]>, "query" | "ctx">>();
expectTrue<Equal<HandlerInput<NoteRoutes["GET /notes"]>["query"], { page?: number }>>();
expectTrue<Equal<keyof HandlerInput<NoteRoutes["POST /notes"], Auth>, "body" | "ctx">>();
expectTrue<Equal<HandlerInput<NoteRoutes["POST /notes"], Auth>["ctx"]["userId"], string>>();

// Handlers are checked against their contracts, and inferred from them.
const open = defineHandlers<NoteRoutes>({
  "GET /notes": ({ query }) => (query.page === 1 ? [note] : []),
  "GET /notes/:id": async ({ params, ctx }) => (params.id === "" ? ctx.fail(404, "NONE", "None") : note),
  "POST /notes": async ({ body }) => ({ ...note, id: body.title }),
  "DELETE /notes/:id": async () => {},
});
const guarded = defineHandlers<NoteRoutes, Auth>({
  ...open,
  "POST /notes": ({ ctx }) => ({ ...note, id: ctx.userId }),
});
// @ts-expect-error -- a key is missing
defineHandlers<NoteRoutes>({ "GET /notes": () => [] });
// @ts-expect-error -- the group does not have the key
defineHandlers<NoteRoutes>({ ...open, "GET /other": () => note });
// @ts-expect-error -- the response does not match the contract
defineHandlers<NoteRoutes>({ ...open, "GET /notes/:id": () => ({ id: "1", createdAt: "now" }) });
// @ts-expect-error -- the second type argument does not declare userId
defineHandlers<NoteRoutes>({ ...open, "GET /notes": ({ ctx }) => [{ ...note, id: ctx.userId }] });
// @ts-expect-error -- the contract has no body
defineHandlers<NoteRoutes>({ ...open, "GET /notes": ({ body }) => [body] });
// @ts-expect-error -- a property of the group is not a contract
defineHandlers<{ "GET /notes": string }>({ "GET /notes": () => "" });

// Middleware declares what it adds.
const requireAuth = defineMiddleware<Auth>(({ headers, ctx }) => {
  const id: string | undefined = headers["authorization"];
  return id === undefined ? ctx.fail(401, "UNAUTHORIZED", "Who are you?") : { userId: id };
});
const asyncAuth = defineMiddleware<Auth>(async () => ({ userId: "1" }));
const audit = defineMiddleware(({ ctx }) => ctx.log.info("audit"));
// @ts-expect-error -- adds another property
defineMiddleware<Auth>(() => ({ user: "1" }));
// @ts-expect-error -- adds the property only in some cases
defineMiddleware<Auth>(({ path }) => (path === "/" ? undefined : { userId: "1" }));

// Middleware cannot respond. Only handlers can.
// @ts-expect-error -- returns a kit response
defineMiddleware(({ ctx }) => ctx.send("no"));
// @ts-expect-error -- returns a kit response in some cases
defineMiddleware(({ path, ctx }) => (path === "/" ? ctx.send("no") : undefined));
// @ts-expect-error -- resolves to a kit response
defineMiddleware<Auth>(async ({ ctx }) => ctx.send("no"));
// @ts-expect-error -- returns a Response of fetch
defineMiddleware(() => new Response("no"));
// @ts-expect-error -- returns a string
defineMiddleware(() => "no");
// @ts-expect-error -- returns an array
defineMiddleware(() => ["no"]);
// @ts-expect-error -- adds a property that ctx already has
defineMiddleware(() => ({ headers: {} }));
// @ts-expect-error -- returns ctx itself
defineMiddleware(({ ctx }) => ctx.header("x", "y"));
// @ts-expect-error -- an inline middleware returns a response
createApp({ server, middleware: [({ ctx }) => ctx.send("no")], routes: [] });
createApp({
  server,
  // @ts-expect-error -- an entry returns a response
  middleware: [{ name: "a", middleware: () => new Response("no"), priority: 1 }],
  routes: [],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- middleware of a group returns a response
    { handlers: open, middleware: [{ name: "a", middleware: () => new Response("no"), priority: 1 }] },
  ],
});

// The middleware of a group must add what its handlers read.
const auth = { name: "auth", middleware: requireAuth, priority: 10 };
createApp({ server, routes: [{ prefix: "/a", handlers: open }] });
createApp({ server, middleware: [auth, audit], routes: [{ handlers: guarded }, { handlers: open }] });
createApp({ server, routes: [{ prefix: "", handlers: guarded, middleware: [asyncAuth] }] });
createApp({
  server,
  middleware: [({ ctx }) => ctx.header("x", "y") && undefined],
  routes: [{ handlers: guarded, middleware: [{ name: "auth", middleware: asyncAuth, priority: 1 }, audit] }],
});
const inPlace = {
  name: "auth",
  priority: 1,
};
createApp({
  server,
  middleware: [{ ...inPlace, middleware: async ({ headers }) => ({ userId: headers["x-user"] ?? "" }) }],
  routes: [{ handlers: guarded }],
});
createApp({
  server,
  routes: [{ handlers: guarded, middleware: [({ params }) => ({ userId: params["id"] ?? "" })] }],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- the middleware adds another property
    { handlers: guarded, middleware: [({ params }) => ({ reader: params["id"] ?? "" })] },
  ],
});
// @ts-expect-error -- there is no middleware
createApp({ server, routes: [{ handlers: guarded }] });
// @ts-expect-error -- no middleware adds the property
createApp({ server, middleware: [audit], routes: [{ handlers: guarded }] });
createApp({
  server,
  routes: [
    { handlers: guarded, middleware: [auth] },
    // @ts-expect-error -- only the other group has the middleware
    { prefix: "/b", handlers: guarded, middleware: [audit] },
  ],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- the property is added with another type
    { handlers: guarded, middleware: [() => ({ userId: 1 })] },
  ],
});
createApp({
  server,
  routes: [
    // @ts-expect-error -- the property is added only in some cases
    { handlers: guarded, middleware: [({ path }) => (path === "/" ? undefined : { userId: "1" })] },
  ],
});

// Groups, lists and options from variables are checked as far as their types allow.
const group = { prefix: "/notes", handlers: guarded, middleware: [auth] };
createApp({ server, routes: [group] });
const bareGroup = { prefix: "/notes", handlers: guarded };
// @ts-expect-error -- the group has no middleware
createApp({ server, routes: [bareGroup] });
const groups = [group, { prefix: "/open", handlers: open }];
createApp({ server, routes: groups });
const hidden: MiddlewareEntry[] = [auth];
createApp({ server, middleware: hidden, routes: [{ handlers: guarded }] });
const options: AppOptions = { server, routes: [bareGroup] };
createApp(options);
// @ts-expect-error -- unknown option
createApp({ server, routes: [], midleware: [] });
// @ts-expect-error -- unknown option of the log
createApp({ server, routes: [], logging: { levle: "info" } });
createApp({ ...options, health: true });
// @ts-expect-error -- unknown property of a route group
createApp({ server, routes: [{ handlers: open, midleware: [] }] });

// Responses that are not JSON must be sent with `ctx.send`, in place of the declared response.
defineHandlers<Pick<NoteRoutes, "GET /notes" | "DELETE /notes/:id">>({
  "GET /notes": async ({ query, ctx }) =>
    query.page === 1 ? [note] : ctx.send("id\n", { contentType: "text/csv" }),
  "DELETE /notes/:id": ({ ctx }) => ctx.send(new ReadableStream<Uint8Array>(), { length: 0 }),
});
// @ts-expect-error -- bytes without `ctx.send` are not a note
defineHandlers<Pick<NoteRoutes, "GET /notes/:id">>({ "GET /notes/:id": () => new Uint8Array() });
