import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";

import { getRequestListener } from "@hono/node-server";
import {
  type AttachableOptions,
  bodyLimitOf,
  type CheckedOptions,
  checkOptions,
  errorOfFramework,
  isStreamed,
  listenPlain,
  NodeHost,
  normalPath,
  notePassed,
  noteReturned,
  receiveBody,
  refuseRequest,
  RequestBody,
  withoutFinalSlash,
} from "@kit/server-node";
import type {
  CloseOptions,
  ListenAddress,
  ListenOptions,
  PlainServer,
  ServerAdapter,
  ServerService,
} from "@kit/types";
import {
  type Env,
  type ErrorHandler,
  type Handler,
  Hono,
  type HonoRequest,
  type MiddlewareHandler,
} from "hono";
import { HTTPException } from "hono/http-exception";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import type { H, RouterRoute } from "hono/types";

import { HonoExchange, type NodeContext } from "./exchange.ts";

/** Options of {@link honoServer}. */
export interface HonoServerOptions<TEnv extends Env = Env> extends AttachableOptions {
  /** Your own Hono application, with its middleware and routes. Default: a new application. */
  readonly app?: Hono<TEnv>;
}

/** Server that runs kit on a Hono application. See {@link honoServer}. */
export interface HonoServer extends ServerAdapter {
  /**
   * Middleware that serves the requests to kit's routes, and passes all other requests on. The place of the middleware in the Hono
   * application decides which middleware and routes run before kit's routes. Without this middleware, kit comes last.
   *
   * @example
   * ```ts
   * const web = new Hono();
   * const server = honoServer({ app: web });
   * web.use(session);
   * web.use(server.routes);
   * web.route("/", oldRoutes);
   * web.get("*", page);
   * ```
   */
  readonly routes: MiddlewareHandler;
}

/**
 * Creates a server that runs kit on Hono 4 and @hono/node-server. The middleware and routes of the Hono application come first. kit serves
 * all other requests, including requests for unknown paths, and replaces the application's `notFound` handler. `routes` of the server gives kit's
 * routes another place.
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
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option.
 */
export function honoServer<TEnv extends Env = Env>(options: HonoServerOptions<TEnv> = {}): HonoServer {
  const app = (options.app ?? new Hono()) as unknown as Hono;
  return new HonoAdapter(app, checkOptions("honoServer", options, ["app", "onServer"]), options.onServer);
}

class HonoAdapter implements HonoServer {
  readonly name = "hono";
  readonly platform: string = `hono ${version()}`;
  readonly #app: Hono;
  readonly #options: CheckedOptions;
  readonly #onServer: AttachableOptions["onServer"];
  #service: ServerService | undefined;
  #host: NodeHost | undefined;
  #isMounted = false;

  readonly routes: MiddlewareHandler = async (context, next) => {
    const service = this.#service;
    const node = context as unknown as NodeContext;
    // Without a service or a request of Node, the application was called without kit's server, such as by `app.request`.
    const incoming =
      service === undefined ? undefined : (node.env as Partial<NodeContext["env"]> | undefined)?.incoming;
    if (service?.serves?.(context.req.method, incoming?.url ?? "") === true)
      return serveContext(node, service);
    if (incoming !== undefined) notePassed(incoming);
    await next();
    return undefined;
  };

  constructor(app: Hono, options: CheckedOptions, onServer: AttachableOptions["onServer"]) {
    this.#app = app;
    this.#options = options;
    this.#onServer = onServer;
  }

  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#host !== undefined) throw new Error("This server is already listening");
    const app = this.#app;
    this.#service = service;
    handleErrors(app, () => this.#service!);
    // `autoCleanupIncoming` is off because kit itself discards the remaining input of a refused request. `hostname` is set because Hono
    // needs a complete URL, and requests of HTTP/1.0 may have no host.
    const { fetch } = app;
    const { timeouts, limits } = this.#options;
    const listener = getRequestListener((request, env) => (this.#mount(), fetch(request, env)), {
      autoCleanupIncoming: false,
      hostname: "localhost",
    });
    // Code that has replaced `fetch` may refuse requests, so these must pass through it.
    const isWrapped = fetch.toString() !== new Hono().fetch.toString();
    const host = NodeHost.of(
      (request, response) => void listener(request, response),
      service,
      timeouts,
      {
        // An application with neither routes nor middleware would only pass requests on. Skipping it saves the creation of a web request
        // and a web response.
        isEmpty: () =>
          app.routes.length === 0 && !this.#isMounted && !isWrapped && this.#onServer === undefined,
        rewriteTarget: (target) => (app.getPath === laxPath ? target : withoutFinalSlash(target, service)),
      },
      limits,
      options.tls,
      this.#onServer,
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

  reloadTls(): void {
    this.#host?.reloadTls();
  }

  listenPlain(service: ServerService, where: ListenOptions): Promise<PlainServer> {
    return listenPlain(service, where, this.#options);
  }

  connections(): number {
    return this.#host?.connections ?? 0;
  }

  getNativeServer(): Hono {
    return this.#app;
  }

  /**
   * Adds kit as the last route. Called at the first request, so that routes which are added after the start of the server come before kit.
   */
  #mount(): void {
    if (this.#isMounted) return;
    this.#isMounted = true;
    addLast(this.#app, (context) => serveContext(context as unknown as NodeContext, this.#service!));
  }
}

/** `getPath` of a Hono application with `strict: false`, which ignores a final slash. */
const laxPath = new Hono({ strict: false }).getPath;

const standardErrorHandler = errorHandlerOf(new Hono());

/**
 * Adds a route for every path after all other routes. Hono's router accepts no more routes after it has
 * matched a request, for example in a call of `app.request`. In this case, the application gets a new router
 * with the same routes.
 */
function addLast(app: Hono, handler: Handler): void {
  try {
    // Adds the route through another application with the same router, because a route of `app` would be below the base path of `app`.
    new Hono({ router: app.router, getPath: app.getPath }).all("*", handler);
  } catch {
    const router = new SmartRouter<[H, RouterRoute]>({ routers: [new RegExpRouter(), new TrieRouter()] });
    for (const route of app.routes) router.add(route.method, route.path, [route.handler, route]);
    app.router = router;
    new Hono({ router, getPath: app.getPath }).all("*", handler);
  }
}

/** Serves a request that no route of the Hono application has handled. */
function serveContext(context: NodeContext, service: ServerService): Response | Promise<Response> {
  const { incoming } = context.env;
  noteReturned(incoming);
  const bodyBytes = bodyLimitOf(service, incoming);
  if (!readsSamePath(context.req.url, incoming.url!)) return refuse(context, service);
  const handle = (body: RequestBody): Response | Promise<Response> =>
    answer((done) => service.handle(new HonoExchange(context, body, done)));
  if (isBegun(incoming)) {
    const isInChunks = isStreamed(service, incoming);
    return readFromHono(context.req, bodyBytes).then((body) => handle(isInChunks ? body.asChunks() : body));
  }
  return answer((done) =>
    receiveBody(service, incoming, incoming.url!, (body) => {
      // `undefined` means that the client has disconnected, so there is no request to serve.
      if (body !== undefined) service.handle(new HonoExchange(context, body, done));
    }),
  );
}

/** Returns true if Hono matched its routes with the same path that kit's router will match. */
function readsSamePath(url: string, target: string): boolean {
  const read = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  return read === target || normalPathOf(read) === normalPathOf(target);
}

function normalPathOf(target: string): string | null {
  return normalPath(target.split("?", 1)[0]!);
}

/** Responds with an error, because the application's middleware refused the request or matched another path than kit would. */
function refuse(context: NodeContext, service: ServerService): Response | Promise<Response> {
  noteReturned(context.env.incoming);
  return answer((done) => refuseRequest(service, new HonoExchange(context, RequestBody.empty, done)));
}

/** Makes Hono send thrown errors, and responses of `context.notFound()` in middleware, in the format of kit's errors. */
function handleErrors(app: Hono, service: () => ServerService): void {
  app.notFound((context) => refuse(context as unknown as NodeContext, service()));
  // A custom error handler of the application stays.
  if (errorHandlerOf(app) !== standardErrorHandler) return;
  app.onError((error, context) => {
    // The application has built this response for the error, so it is sent unchanged.
    if (error instanceof HTTPException && error.res !== undefined) return error.getResponse();
    const node = context as unknown as NodeContext;
    return answer((done) =>
      service().fail(new HonoExchange(node, RequestBody.empty, done), errorOfFramework(error)),
    );
  });
}

/** Returns the response if `start` provides it synchronously, and otherwise a promise of it. */
function answer(start: (done: (response: Response) => void) => void): Response | Promise<Response> {
  let response: Response | undefined;
  let resolve: ((response: Response) => void) | undefined;
  start((given) => {
    response = given;
    resolve?.(given);
  });
  return response ?? new Promise((resolver) => (resolve = resolver));
}

/**
 * Returns true if other code has read a part of the body, or has started to read. kit then cannot read the
 * body from the connection.
 */
function isBegun(incoming: IncomingMessage): boolean {
  return incoming.readableDidRead || incoming.listenerCount("data") + incoming.listenerCount("readable") > 0;
}

async function readFromHono(request: HonoRequest, limit: number): Promise<RequestBody> {
  // Hono makes all other forms of the body from the one that was read first.
  if (Object.keys(request.bodyCache)[0] === "formData") return readFromFormData(request, limit);
  try {
    return RequestBody.ofBytes(new Uint8Array(await request.arrayBuffer()), limit);
  } catch (cause) {
    const message =
      "The request's body was read before kit saw the request, because another middleware read it without `c.req`. Read the body with `c.req`, such as `c.req.text()`";
    return RequestBody.unavailable(new Error(message, { cause }));
  }
}

/** Returns the body of a form that `c.req.formData()` has read. Other bodies are lost: Hono would write parts with another boundary. */
async function readFromFormData(request: HonoRequest, limit: number): Promise<RequestBody> {
  if (Number(request.header("content-length")) > limit) return RequestBody.tooLarge;
  let cause: unknown;
  try {
    const fields = await request.formData();
    if (!/^\s*multipart\//i.test(request.header("content-type") ?? "")) {
      const form = new URLSearchParams();
      for (const [name, value] of fields) form.append(name, String(value));
      return RequestBody.ofText(form.toString(), limit);
    }
  } catch (error) {
    cause = error;
  }
  const message =
    "The request's body was read before kit saw the request, and `c.req.formData()` keeps only URL-encoded forms. Read the body with `c.req.arrayBuffer()`, or with `c.req.parseBody()` of a current Hono; these keep each body";
  return RequestBody.unavailable(new Error(message, { cause }));
}

/** Returns the error handler of the application. Hono's types declare the property as private. */
function errorHandlerOf(app: Hono): ErrorHandler {
  return (app as unknown as { readonly errorHandler: ErrorHandler }).errorHandler;
}

function version(): string {
  const entry = createRequire(import.meta.url).resolve("hono");
  // The path is `…/node_modules/hono/dist/cjs/index.js`. Directories above may be called `dist` too, so the last one counts.
  const manifest = `${entry.slice(0, Math.max(entry.lastIndexOf("/dist/"), entry.lastIndexOf("\\dist\\")))}/package.json`;
  return (createRequire(import.meta.url)(manifest) as { version: string }).version;
}
