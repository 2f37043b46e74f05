import {
  bodyLimitOf,
  type BindAddress,
  type CheckedOptions,
  checkOptions,
  errorOfFramework,
  type Framework,
  type HttpServerOptions,
  isStreamed,
  listenPlain,
  NodeHost,
  openRequestBody,
  readBody,
  receiveBody,
  refuseRequest,
  RequestBody,
  serverOptions,
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
  fastify,
  type FastifyInstance,
  type FastifyListenOptions,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";

import { FastifyExchange } from "./exchange.ts";
import { targetRewriter } from "./target-rewriter.ts";

/** Options of {@link fastifyServer}. */
export interface FastifyServerOptions extends HttpServerOptions {
  /** Your own Fastify instance, with its plugins and routes, which does not listen yet. Default: a new instance. */
  readonly app?: FastifyInstance;
}

/**
 * Creates a server that runs kit on Fastify 5. The routes of the Fastify instance come first. kit serves all other requests, including
 * requests for unknown paths. Hooks and plugins of the instance also see kit's requests and responses.
 *
 * @example
 * ```ts
 * import { createApp } from "@kit/core";
 * import { fastifyServer } from "@kit/server-fastify";
 * import { fastify } from "fastify";
 *
 * const web = fastify();
 * web.get("/legacy", () => "still here");
 *
 * const app = createApp({ server: fastifyServer({ app: web }), routes: [notes] });
 * await app.listen({ port: 3000 });
 * ```
 * @throws {TypeError} if an option does not exist. The message names the option.
 * @throws {RangeError} if the value of an option is invalid. The message names the option.
 */
export function fastifyServer(options: FastifyServerOptions = {}): ServerAdapter {
  const checked = checkOptions("fastifyServer", options);
  return new FastifyServer(options.app ?? fastify({ http: serverOptions }), checked);
}

/** Codes of errors for content types that Fastify refuses before it calls a body parser. kit responds to these requests itself. */
const contentTypeErrors: ReadonlySet<unknown> = new Set([
  "FST_ERR_CTP_INVALID_MEDIA_TYPE",
  "FST_ERR_ROUTE_MISSING_CONTENT_TYPE",
]);

class FastifyServer implements ServerAdapter {
  readonly name = "fastify";
  readonly platform: string;
  readonly #app: FastifyInstance;
  readonly #options: CheckedOptions;
  #host: NodeHost | undefined;
  /** True if the server is not that of the instance: Fastify creates its server before the files of TLS are known. */
  #hasOwnServer = false;

  constructor(app: FastifyInstance, options: CheckedOptions) {
    this.#app = app;
    this.#options = options;
    this.platform = `fastify ${app.version}`;
  }

  async listen(service: ServerService, options: ListenOptions): Promise<ListenAddress> {
    if (this.#host !== undefined) throw new Error("This server is already listening");
    const app = this.#app;
    const methods = new Set(app.supportedMethods);
    mount(app, service, [...methods]);
    const { timeouts, limits } = this.#options;
    const framework: Framework = {
      // A request with another method would match no route of Fastify, not even kit's.
      canHandle: ({ method }) => methods.has(method!),
      rewriteTarget: targetRewriter(app, service),
    };
    const { tls } = options;
    this.#hasOwnServer = tls !== undefined;
    if (tls !== undefined) {
      const host = NodeHost.of(app.routing, service, timeouts, framework, limits, tls);
      await app.ready();
      const address = await host.listen(options);
      this.#host = host;
      return address;
    }
    const host = new NodeHost(app.server, service, timeouts, framework, limits);
    this.#host = host;
    try {
      return await host.listen(options, (address) => listenOn(app, address));
    } catch (error) {
      this.#host = undefined;
      throw error;
    }
  }

  async close(options: CloseOptions): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    await host?.close(options, async (unbind) => {
      if (this.#hasOwnServer) closeWith(this.#app, unbind);
      await this.#app.close();
      if (this.#hasOwnServer) await unbind();
    });
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

  getNativeServer(): FastifyInstance {
    return this.#app;
  }
}

/**
 * Makes Fastify close kit's server when Fastify closes its own, which never listened: after the hooks `preClose` and before the hooks
 * `onClose`.
 */
function closeWith(app: FastifyInstance, unbind: () => Promise<unknown>): void {
  const { server } = app;
  const close = server.close.bind(server);
  server.close = (done) => {
    void unbind().finally(() => close(done));
    return server;
  };
}

/**
 * Starts listening. Without a host, Fastify would listen on local addresses only, so this function passes the address that means all
 * addresses.
 */
async function listenOn(app: FastifyInstance, address: BindAddress): Promise<void> {
  if (address.path !== undefined) {
    await app.listen({ path: address.path });
    return;
  }
  if ("fd" in address) {
    // Fastify passes `fd` on to Node, but its types do not declare it. With a host, Fastify does not try to bind several addresses.
    const inherited: FastifyListenOptions & { fd: number } = { fd: address.fd, host: "::" };
    await app.listen(inherited);
    return;
  }
  const { port, host } = address;
  try {
    await app.listen({ port, host: host ?? "::" });
  } catch (error) {
    // The machine does not support IPv6.
    if (host !== undefined || (error as NodeJS.ErrnoException).code !== "EAFNOSUPPORT") throw error;
    await app.listen({ port, host: "0.0.0.0" });
  }
}

/** Adds kit as the last route of the instance. The route has its own scope, in which kit reads the bodies itself. */
function mount(app: FastifyInstance, service: ServerService, method: string[]): void {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    service.fail(new FastifyExchange(request, reply, RequestBody.empty), errorOfFramework(error));
  // Errors that no handler of the instance handles get the format of kit's errors. A custom error handler of the instance stays.
  if (app.errorHandler.name === "defaultErrorHandler") app.setErrorHandler(fail);
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (request, payload, parsed) => {
      const bodyBytes = bodyLimitOf(service, request.raw);
      if (isStreamed(service, request.raw)) parsed(null, openRequestBody(payload, request.raw, bodyBytes));
      else if (Number(request.headers["content-length"]) > bodyBytes) parsed(null, RequestBody.tooLarge);
      // `undefined` means that the client has disconnected, so there is no request to serve.
      else readBody(payload, bodyBytes, (body) => body !== undefined && parsed(null, body));
    });
    const handleUnparsed = scope.errorHandler;
    scope.setErrorHandler((error, request, reply) => {
      const { code } = error as { code?: unknown };
      if (!contentTypeErrors.has(code))
        return handleUnparsed(error as Error & { code: string }, request, reply);
      // The hooks `preValidation` and `preHandler` have not seen the request, so no handler may run. kit only responds with the error.
      const exchange = new FastifyExchange(request, reply, RequestBody.unreadable);
      refuseRequest(service, exchange, errorOfFramework(error), "body");
      return undefined;
    });
    scope.route({
      method,
      url: "/*",
      handler: (request, reply) => {
        const answer = (body: RequestBody | undefined): void => {
          if (body !== undefined) service.handle(new FastifyExchange(request, reply, body));
        };
        if (request.body instanceof RequestBody) answer(request.body);
        else receiveBody(service, request.raw, request.raw.url!, answer);
      },
    });
    done();
  });
}
