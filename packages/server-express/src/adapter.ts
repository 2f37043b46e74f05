import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";

import {
  type AttachableOptions,
  receiveBody,
  type CheckedOptions,
  checkOptions,
  errorOfFramework,
  listenPlain,
  NodeHost,
  notePassed,
  noteReturned,
  refuseRequest,
  type RequestListener,
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
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from "express";

import { ExpressExchange } from "./exchange.ts";

/** Options of {@link expressServer}. */
export interface ExpressServerOptions extends AttachableOptions {
  /** Your own Express application, with its middleware and routes. Default: a new application. */
  readonly app?: Express;
}

/** Server that runs kit on an Express application. See {@link expressServer}. */
export interface ExpressServer extends ServerAdapter {
  /**
   * Middleware that serves the requests to kit's routes, and passes all other requests on. The place of the middleware in the Express
   * application decides which middleware and routes run before kit's routes. Without this middleware, kit comes last.
   *
   * @example
   * ```ts
   * const web = express();
   * const server = expressServer({ app: web });
   * web.use(session);
   * web.use(server.routes);
   * web.use(oldRoutes);
   * web.use(notFound);
   * ```
   */
  readonly routes: RequestHandler;
  getNativeServer(): Express;
}

/**
 * Creates a server that runs kit on Express 5. The middleware and routes of the Express application come first. kit serves all other
 * requests, including requests for unknown paths. `routes` of the server gives kit's routes another place.
 *
 * @example
 * ```ts
 * import { createApp } from "@kit/core";
 * import { expressServer } from "@kit/server-express";
 * import express from "express";
 *
 * const web = express();
 * web.get("/legacy", (request, response) => void response.send("still here"));
 *
 * const app = createApp({ server: expressServer({ app: web }), routes: [notes] });
 * await app.listen({ port: 3000 });
 * ```
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option.
 */
export function expressServer(options: ExpressServerOptions = {}): ExpressServer {
  const checked = checkOptions("expressServer", options, ["app", "onServer"]);
  return new ExpressAdapter(options.app ?? newApplication(), checked, options.onServer);
}

class ExpressAdapter implements ExpressServer {
  readonly name = "express";
  readonly platform: string = `express ${version()}`;
  readonly #app: Express;
  readonly #options: CheckedOptions;
  readonly #onServer: AttachableOptions["onServer"];
  #service: ServerService | undefined;
  #host: NodeHost | undefined;
  #isMounted = false;
  /** True if a request has reached kit, or if the log says why requests do not reach kit. */
  #isReachable = false;

  readonly routes: RequestHandler = (request, response, next) => {
    // Without a service, the application was called before kit listens, such as by a test.
    if (this.#service?.serves?.(request.method, request.originalUrl) === true) {
      this.#serve(request, response);
      return;
    }
    notePassed(request);
    next();
  };

  constructor(app: Express, options: CheckedOptions, onServer: AttachableOptions["onServer"]) {
    this.#app = app;
    this.#options = options;
    this.#onServer = onServer;
  }

  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#host !== undefined) throw new Error("This server is already listening");
    this.#service = service;
    this.#mount();
    const { timeouts, limits } = this.#options;
    const framework = {
      rewriteTarget: (target: string) => {
        const short = withoutFinalSlash(target, service);
        return short !== target && isStrict(this.#app) ? short : target;
      },
    };
    const listener: RequestListener = (request, response) => {
      if (!this.#isReachable) this.#watch(service, request, response);
      (this.#app as RequestListener)(request, response);
    };
    const host = NodeHost.of(listener, service, timeouts, framework, limits, options.tls, this.#onServer);
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

  getNativeServer(): Express {
    return this.#app;
  }

  #serve(request: Request, response: Response): void {
    this.#isReachable = true;
    const service = this.#service!;
    receiveBody(service, request, request.originalUrl, (body) => {
      // `undefined` means that the client has disconnected, so there is no request to serve.
      if (body !== undefined) service.handle(new ExpressExchange(request, response, body));
    });
  }

  /**
   * Reports if the application responds with 404 to a request for a route of kit. Express has no separate place for a handler of unknown
   * paths: such a handler is the last middleware of the application, and runs before kit.
   */
  #watch(service: ServerService, { method, url }: IncomingMessage, response: ServerResponse): void {
    response.once("finish", () => {
      if (this.#isReachable || response.statusCode !== 404 || service.serves?.(method!, url!) !== true)
        return;
      this.#isReachable = true;
      service.logRefusal?.({
        status: 404,
        code: "HIDDEN_ROUTE",
        message:
          "the Express application responded with 404 to a request for a route of kit, probably with its own handler for unknown paths; add kit's routes before this handler: `app.use(server.routes)` with `server = expressServer({ app })`",
      });
    });
  }

  /**
   * Adds kit to the Express application. Called as late as possible, so that kit comes after the
   * application's middleware and routes.
   */
  #mount(): void {
    if (this.#isMounted) return;
    this.#isMounted = true;
    this.#app.use((request, response) => {
      noteReturned(request);
      this.#serve(request, response);
    });
    const onError: ErrorRequestHandler = (error: unknown, request, response, next) => {
      if (response.headersSent) {
        // The head of a response is sent already, so no error response is possible. Express cuts the connection.
        next(error);
        return;
      }
      const body = bodyOfParserError(error);
      const exchange = new ExpressExchange(request, response, body ?? RequestBody.empty);
      const told = errorOfFramework(error);
      // Middleware after the body parser has not seen the request, so no handler may run. kit only responds with the error of the body.
      if (body === undefined) {
        this.#service!.fail(exchange, told);
        return;
      }
      noteReturned(request);
      refuseRequest(this.#service!, exchange, told, "body");
    };
    this.#app.use(onError);
  }
}

/** Returns true if the application or one of its routers treats `/a` and `/a/` as different paths. */
function isStrict(app: Express): boolean {
  return app.enabled("strict routing") || hasStrictRouter(app.router as unknown as Layers);
}

/** Properties of an Express router that its types do not declare. */
interface Layers {
  readonly strict?: boolean;
  readonly stack?: readonly { readonly handle?: Layers }[];
}

function hasStrictRouter({ stack = [] }: Layers): boolean {
  return stack.some(({ handle }) => handle?.strict === true || (handle?.stack && hasStrictRouter(handle)));
}

function newApplication(): Express {
  return express().disable("x-powered-by") as Express;
}

/**
 * Returns the body that a body parser of Express has refused. kit then checks the path, and responds with its
 * own error for the body. Returns `undefined` if the error does not come from a body parser.
 */
function bodyOfParserError(error: unknown): RequestBody | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, body } = error as { type?: unknown; body?: unknown };
  switch (type) {
    case "entity.parse.failed":
      return typeof body === "string" ? RequestBody.ofText(body, Infinity) : RequestBody.unreadable;
    case "entity.too.large":
      return RequestBody.tooLarge;
    case "encoding.unsupported":
    case "charset.unsupported":
      return RequestBody.unreadable;
    default:
      return undefined;
  }
}

function version(): string {
  return (createRequire(import.meta.url)("express/package.json") as { version: string }).version;
}
