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
  RequestBody,
} from "@kit/server-node";
import type { CloseOptions, ListenAddress, ListenOptions, ServerAdapter, ServerService } from "@kit/types";
import { type Env, type ErrorHandler, Hono, type HonoRequest } from "hono";
import { HTTPException } from "hono/http-exception";

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
  #host: NodeHost | undefined;

  constructor(app: Hono, timeouts: CheckedTimeouts) {
    this.#app = app;
    this.#timeouts = timeouts;
  }

  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#host !== undefined) throw new Error("This server is listening already");
    mount(this.#app, service);
    // What is left of a request that was refused is the host's to throw away.
    const listener = getRequestListener(this.#app.fetch, { autoCleanupIncoming: false });
    const host = NodeHost.of(
      (request, response) => void listener(request, response),
      service,
      this.#timeouts,
      // An application that has neither routes nor middleware would do nothing but pass requests on, at the price of a request and a
      // response of the web. And Hono knows requests by a whole URL, while HTTP/1.0 need not name a host.
      (request) => this.#app.routes.length === 0 || request.headers.host === undefined,
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
}

const standardErrorHandler = errorHandlerOf(new Hono());

/** Makes kit what answers where nothing else does. */
function mount(app: Hono, service: ServerService): void {
  const { bodyBytes } = service.limits;
  app.notFound((context) => {
    const node = context as unknown as NodeContext;
    const { incoming } = node.env;
    const handle = (body: RequestBody): Response | Promise<Response> =>
      answer((done) => service.handle(new HonoExchange(node, body, done)));
    if (isBegun(incoming)) return readFromHono(node.req, bodyBytes).then(handle);
    return answer((done) =>
      bodyOf(incoming, bodyBytes, (body) => {
        // Without one the client is gone, and so is the request.
        if (body !== undefined) service.handle(new HonoExchange(node, body, done));
      }),
    );
  });
  // Errors that nobody handles have kit's form; who has a handler keeps it.
  if (errorHandlerOf(app) !== standardErrorHandler) return;
  app.onError((error, context) => {
    // A response that was made by hand is what is meant.
    if (error instanceof HTTPException && error.res !== undefined) return error.getResponse();
    const node = context as unknown as NodeContext;
    return answer((done) =>
      service.fail(new HonoExchange(node, RequestBody.none, done), errorOfFramework(error)),
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
  const manifest = createRequire(import.meta.url)
    .resolve("hono")
    .replace(/dist[\\/].*$/, "package.json");
  return (createRequire(import.meta.url)(manifest) as { version: string }).version;
}
