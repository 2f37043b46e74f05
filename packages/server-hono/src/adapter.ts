import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";

import { getRequestListener } from "@hono/node-server";
import {
  bodyOf,
  type CheckedTimeouts,
  checkTimeouts,
  errorOfFramework,
  type HttpTimeouts,
  NodeHost,
  normalPath,
  refuseBy,
  RequestBody,
  withoutFinalSlash,
} from "@kit/server-node";
import type { CloseOptions, ListenAddress, ListenOptions, ServerAdapter, ServerService } from "@kit/types";
import { type Env, type ErrorHandler, type Handler, Hono, type HonoRequest } from "hono";
import { HTTPException } from "hono/http-exception";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import type { H, RouterRoute } from "hono/types";

import { HonoExchange, type NodeContext } from "./exchange.ts";

/** What Hono is run with. */
export interface HonoServerOptions<TEnv extends Env = Env> extends HttpTimeouts {
  /** Your own application, with its middleware and routes; default a new one. */
  readonly app?: Hono<TEnv>;
}

/**
 * Runs kit on Hono 4 and @hono/node-server. The application's own middleware and routes come first; what they leave is
 * kit's, the answers to unknown paths included, in place of a `notFound` of the application's own.
 *
 * @example
 * ```ts
 * import { createApp } from "@kit/core";
 * import { honoServer } from "@kit/server-hono";
 * import { Hono } from "hono";
 *
 * const web = new Hono();
 * web.get("/legacy", (c) => c.text("still here"));
 *
 * const app = createApp({ server: honoServer({ app: web }), routes: [notes] });
 * await app.listen({ port: 3000 });
 * ```
 * @throws {RangeError} that names the option that is wrong.
 */
export function honoServer<TEnv extends Env = Env>(options: HonoServerOptions<TEnv> = {}): ServerAdapter {
  const app = (options.app ?? new Hono()) as unknown as Hono;
  return new HonoServer(app, checkTimeouts("honoServer", options));
}

class HonoServer implements ServerAdapter {
  readonly name = "hono";
  readonly platform: string = `hono ${version()}`;
  readonly #app: Hono;
  readonly #timeouts: CheckedTimeouts;
  #service: ServerService | undefined;
  #host: NodeHost | undefined;
  #isMounted = false;

  constructor(app: Hono, timeouts: CheckedTimeouts) {
    this.#app = app;
    this.#timeouts = timeouts;
  }

  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#host !== undefined) throw new Error("This server is listening already");
    const app = this.#app;
    this.#service = service;
    handleErrors(app, () => this.#service!);
    // What is left of a request that was refused is the host's to throw away. Hono knows requests by a whole URL, and HTTP/1.0 need not
    // name a host.
    const { fetch } = app;
    const listener = getRequestListener((request, env) => (this.#mount(), fetch(request, env)), {
      autoCleanupIncoming: false,
      hostname: "localhost",
    });
    // A `fetch` that somebody has wrapped may hold requests up too.
    const isWrapped = fetch.toString() !== new Hono().fetch.toString();
    const host = NodeHost.of(
      (request, response) => void listener(request, response),
      service,
      this.#timeouts,
      {
        // An application that has neither routes nor middleware would do nothing but pass requests on, at the price of a request and a
        // response of the web.
        isEmpty: () => app.routes.length === 0 && !this.#isMounted && !isWrapped,
        read: (target) => (app.getPath === laxPath ? target : withoutFinalSlash(target, service)),
      },
    );
    const address = await host.listen(options);
    this.#host = host;
    return address;
  }

  async close(options: CloseOptions): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    await host?.close(options);
  }

  connections(): number {
    return this.#host?.connections ?? 0;
  }

  getNativeServer(): Hono {
    return this.#app;
  }

  /** Makes kit the application's last route: at the first request, so that routes which come after the start are before kit. */
  #mount(): void {
    if (this.#isMounted) return;
    this.#isMounted = true;
    addLast(this.#app, (context) => serveContext(context as unknown as NodeContext, this.#service!));
  }
}

/** Reads paths as an application with `strict: false` does. */
const laxPath = new Hono({ strict: false }).getPath;

const standardErrorHandler = errorHandlerOf(new Hono());

/**
 * Adds a route behind all others, for every path. A router that has matched a request takes no more routes: such an application, one
 * that was asked by `app.request` before, gets a new router with the same routes.
 */
function addLast(app: Hono, handler: Handler): void {
  try {
    // Another application on the same router: the route's path is not below the base path of `app`.
    new Hono({ router: app.router, getPath: app.getPath }).all("*", handler);
  } catch {
    const router = new SmartRouter<[H, RouterRoute]>({ routers: [new RegExpRouter(), new TrieRouter()] });
    for (const route of app.routes) router.add(route.method, route.path, [route.handler, route]);
    app.router = router;
    new Hono({ router, getPath: app.getPath }).all("*", handler);
  }
}

/** Answers a request that came to the end of the application's own routes. */
function serveContext(context: NodeContext, service: ServerService): Response | Promise<Response> {
  const { incoming } = context.env;
  const { bodyBytes } = service.limits;
  if (!readsSamePath(context.req.url, incoming.url!)) return refuse(context, service);
  const handle = (body: RequestBody): Response | Promise<Response> =>
    answer((done) => service.handle(new HonoExchange(context, body, done)));
  if (isBegun(incoming)) return readFromHono(context.req, bodyBytes).then(handle);
  return answer((done) =>
    bodyOf(incoming, bodyBytes, (body) => {
      // Without one the client is gone, and so is the request.
      if (body !== undefined) service.handle(new HonoExchange(context, body, done));
    }),
  );
}

/** Tells if the path of the URL that Hono's routes were compared with is the one that kit's router will see. */
function readsSamePath(url: string, target: string): boolean {
  const read = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  return read === target || normalPathOf(read) === normalPathOf(target);
}

function normalPathOf(target: string): string | null {
  return normalPath(target.split("?", 1)[0]!);
}

/** Answers with an error: the application's middleware did not let the request through, or saw another path. */
function refuse(context: NodeContext, service: ServerService): Response | Promise<Response> {
  return answer((done) => refuseBy(service, new HonoExchange(context, RequestBody.none, done)));
}

/** Gives errors, and what middleware calls not found, the form of kit's errors. */
function handleErrors(app: Hono, service: () => ServerService): void {
  app.notFound((context) => refuse(context as unknown as NodeContext, service()));
  // Errors that nobody handles have kit's form; who has a handler keeps it.
  if (errorHandlerOf(app) !== standardErrorHandler) return;
  app.onError((error, context) => {
    // A response that was made by hand is what is meant.
    if (error instanceof HTTPException && error.res !== undefined) return error.getResponse();
    const node = context as unknown as NodeContext;
    return answer((done) =>
      service().fail(new HonoExchange(node, RequestBody.none, done), errorOfFramework(error)),
    );
  });
}

/** The response, and a promise only where it is not there at once. */
function answer(start: (done: (response: Response) => void) => void): Response | Promise<Response> {
  let response: Response | undefined;
  let resolve: ((response: Response) => void) | undefined;
  start((given) => {
    response = given;
    resolve?.(given);
  });
  return response ?? new Promise((resolver) => (resolve = resolver));
}

/** Whether somebody reads the body, or has read it: then it is not to be had from the socket. */
function isBegun(incoming: IncomingMessage): boolean {
  return incoming.readableDidRead || incoming.listenerCount("data") + incoming.listenerCount("readable") > 0;
}

async function readFromHono(request: HonoRequest, limit: number): Promise<RequestBody> {
  try {
    return RequestBody.ofBytes(new Uint8Array(await request.arrayBuffer()), limit);
  } catch (cause) {
    const message =
      "The request's body was read before kit saw the request, and not through `c.req`, which would have kept it";
    return RequestBody.lost(new Error(message, { cause }));
  }
}

/** The handler is private to Hono's types, and Hono compares it in the same way. */
function errorHandlerOf(app: Hono): ErrorHandler {
  return (app as unknown as { readonly errorHandler: ErrorHandler }).errorHandler;
}

function version(): string {
  const entry = createRequire(import.meta.url).resolve("hono");
  // `…/node_modules/hono/dist/cjs/index.js`; directories above may be called `dist` too.
  const manifest = `${entry.slice(0, Math.max(entry.lastIndexOf("/dist/"), entry.lastIndexOf("\\dist\\")))}/package.json`;
  return (createRequire(import.meta.url)(manifest) as { version: string }).version;
}
