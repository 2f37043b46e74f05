// Application whose routes are behind middleware that responds with 401. The middleware is that of the framework that kit runs on,
// or kit's own.

import { type AppOptions, createApp, type RequestContext } from "@kit/core";
import { expressServer } from "@kit/server-express";
import { fastifyServer } from "@kit/server-fastify";
import { honoServer } from "@kit/server-hono";
import type { CompiledApplication, ServerAdapter } from "@kit/types";
import express, { type RequestHandler } from "express";
import { fastify } from "fastify";
import { Hono, type MiddlewareHandler } from "hono";

import { compiled, objectOf, responseOf, route } from "../../packages/core/test/support/compiled.ts";

/** Requests that the middleware refuses, and the way in which it is registered. */
export type Guarding =
  /** Refuses every request, with any path. */
  | "everything"
  /** Refuses every request, but runs after a body parser or at a late step of the framework. */
  | "late"
  /** Refuses requests to some paths: prefixes, nested prefixes and single paths. */
  | "prefixes";

/** Response body of all routes. The body names the route, so the test notices a guarded route that was reached by mistake. */
export interface RouteResponse {
  readonly route: string;
  readonly path: string;
}

const routeResponse = responseOf("RouteResponse", { route: "string", path: "string" });

const guardedRefs: readonly string[] = [
  "GET /admin",
  "GET /admin/users/:id",
  "DELETE /admin/users/:id",
  "POST /admin/users",
  "GET /api/admin/:id",
  "GET /users/@me",
  "GET /exact/page",
  "GET /hidden/:id",
];
const openRefs: readonly string[] = [
  "GET /sentinel",
  "GET /users/:id",
  "GET /open/:a/:b",
  "POST /open/:a/:b",
  "DELETE /open/:a/:b",
  "GET /files/*path",
  "GET /:tenant/users/:id",
];

/** Returns true if the middleware must refuse all requests for a route. */
export function isGuarded(ref: string): boolean {
  return guardedRefs.includes(ref);
}

const body = objectOf("Text", { text: "string" });
/** Compiled application. The test uses its routes with a matcher of its own. */
export const program: CompiledApplication = compiled(
  ...[...guardedRefs, ...openRefs].map((ref) =>
    route(ref, {
      response: routeResponse,
      status: 200,
      ...(ref === "POST /admin/users" && { body }),
      middleware: guardedRefs.includes(ref) ? ["auth"] : [],
    }),
  ),
);

interface Input {
  readonly ctx: RequestContext;
}

function handlersOf(refs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    refs.map((ref) => [ref, ({ ctx }: Input): RouteResponse => ({ route: ref, path: ctx.path })]),
  );
}

/** Starts the application. If `isOwnGuard` is true, middleware of kit refuses the requests, because the server has no framework. */
export async function serveGuarded(
  server: ServerAdapter,
  isOwnGuard: boolean,
): Promise<AsyncDisposable & { readonly port: number }> {
  const middleware = ({ ctx }: Input): void => {
    if (isOwnGuard) ctx.fail(401, "UNAUTHORIZED", "Who are you?");
  };
  const app = createApp({
    server,
    env: "production",
    signals: false,
    compiled: program,
    logging: { level: "fatal" },
    routes: [
      { handlers: handlersOf(openRefs) },
      { handlers: handlersOf(guardedRefs), middleware: [{ name: "auth", middleware, priority: 1 }] },
    ] as NonNullable<AppOptions["routes"]>,
  });
  const { port } = await app.listen({ port: 0, host: "127.0.0.1" });
  return { port, [Symbol.asyncDispose]: () => app.close() };
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
const prefixes: readonly string[] = ["/admin", "/api/admin", "/users/@me", "/hidden"];

/** Frameworks that have middleware. The middleware copies the path that it sees into the response header `x-seen`. */
export const frameworks: readonly (readonly [name: string, make: (guarding: Guarding) => ServerAdapter])[] = [
  ["express", guardedExpress],
  ["fastify", guardedFastify],
  ["hono", guardedHono],
];

const deny: RequestHandler = (_request, response) => void response.status(401).json({ error: "no" });

function guardedExpress(guarding: Guarding): ServerAdapter {
  const app = express();
  app.use((request, response, next) => {
    response.setHeader("x-seen", request.path);
    next();
  });
  if (guarding === "late") app.use(express.json(), express.urlencoded({ extended: true }));
  if (guarding !== "prefixes") app.use(deny);
  else {
    const api = express.Router();
    api.use("/admin", deny);
    app.use("/api", api).use("/admin", deny).use("/users/@me", deny).use("/hidden", deny);
    app.all("/exact/page", deny);
  }
  return expressServer({ app });
}

function guardedFastify(guarding: Guarding): ServerAdapter {
  const app = fastify();
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-seen", request.url.split("?", 1)[0]!);
    done();
  });
  app.addHook(guarding === "late" ? "preHandler" : "onRequest", async (request, reply) => {
    const path = request.url.split("?", 1)[0]!;
    if (guarding !== "prefixes" || prefixes.some((prefix) => isBelow(path, prefix))) {
      return reply.code(401).send({ error: "no" });
    }
    return undefined;
  });
  if (guarding === "prefixes")
    app.all("/exact/page", (_request, reply) => reply.code(401).send({ error: "no" }));
  return fastifyServer({ app });
}

const denyHono: MiddlewareHandler = (context) => Promise.resolve(context.json({ error: "no" }, 401));

function guardedHono(guarding: Guarding): ServerAdapter {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("x-seen", new URL(context.req.url).pathname);
  });
  if (guarding === "everything") app.use(denyHono);
  // This middleware responds with 404.
  else if (guarding === "late") app.use((context) => Promise.resolve(context.notFound()));
  else {
    const api = new Hono();
    api.use("/admin/*", denyHono);
    app.route("/api", api);
    app.use("/admin/*", denyHono).use("/users/@me", denyHono).use("/exact/page", denyHono);
    app.use("/hidden/*", (context) => Promise.resolve(context.notFound()));
  }
  return honoServer({ app });
}
