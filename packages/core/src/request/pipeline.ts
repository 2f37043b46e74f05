import type { AppError } from "@kit/errors";
import type {
  BodyLimits,
  CompiledRoute,
  CompiledRouteTree,
  ErrorBodies,
  MessageKinds,
  RouteMatch,
  ServerExchange,
  ServerLimits,
  ServerRefusal,
  ServerService,
  StreamedBodies,
  Validator,
} from "@kit/types";

import type { Cors } from "../edge/cors.ts";
import { refusalOfHandshake } from "../sockets/handshake.ts";
import { normalTarget } from "../router/normal-path.ts";
import type { Csrf } from "../edge/csrf.ts";
import { createMatcher, type Matcher } from "../router/matcher.ts";
import type { ApiReference } from "./api-reference.ts";
import { parseJsonText, readJsonText } from "./body.ts";
import type { ExecutableRoute } from "./executable-route.ts";
import type { Health } from "./health.ts";
import type { ApiDocuments } from "./api-documents.ts";
import {
  badPath,
  crossSiteRequest,
  invalidSlot,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
  plainNotFound,
} from "./refusals.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import { pathOf } from "../router/path-of.ts";
import { RequestState } from "./request-state.ts";
import { RequestRun } from "./run.ts";
import type { StaticFiles } from "./static-files.ts";
import { hasStreamedBody } from "./streamed-body.ts";
import { allowOf, respondToOptionsAsterisk, isOptionsAsterisk } from "./options-asterisk.ts";

/** Routes, settings and other parts that a pipeline is created from. */
export interface PipelineParts {
  readonly tree: CompiledRouteTree;
  /** Routes by route number. */
  readonly routes: readonly ExecutableRoute[];
  readonly limits: ServerLimits;
  readonly settings: PipelineSettings;
  /** OpenAPI and AsyncAPI documents. `null` if they are not served. */
  readonly documents: ApiDocuments | null;
  /** API reference. `null` if it is not served. */
  readonly reference: ApiReference | null;
  /** Health paths. `null` if they are not served. */
  readonly health: Health | null;
  /** Static files. `null` if there are none. */
  readonly files: StaticFiles | null;
  /** Rules of CORS. `null` if pages of other origins may not read responses. */
  readonly cors: Cors | null;
  /** Rules for requests of web pages. `null` if the option `csrf` is off. */
  readonly csrf: Csrf | null;
}

/** Serves the requests of an application, on any server. */
export class Pipeline implements ServerService {
  readonly tree: CompiledRouteTree;
  readonly routes: readonly string[];
  readonly limits: ServerLimits;
  readonly bodyLimits?: BodyLimits;
  readonly streamedBodies?: StreamedBodies;
  readonly socketRoutes?: readonly boolean[];
  readonly socketKinds?: ReadonlyMap<string, MessageKinds>;
  readonly errorBodies?: ErrorBodies;
  readonly #executables: readonly ExecutableRoute[];
  readonly #settings: PipelineSettings;
  readonly #documents: ApiDocuments | null;
  readonly #reference: ApiReference | null;
  readonly #health: Health | null;
  readonly #files: StaticFiles | null;
  readonly #cors: Cors | null;
  readonly #csrf: Csrf | null;
  readonly #match: Matcher;
  /** Value of the header `Allow` for `OPTIONS *`. */
  readonly #allow: string;

  constructor(parts: PipelineParts) {
    this.tree = parts.tree;
    this.routes = parts.routes.map((route) => route.compiled.ref);
    this.limits = parts.limits;
    const { errorWriter } = parts.settings;
    if (errorWriter !== null) this.errorBodies = errorWriter;
    this.#executables = parts.routes;
    this.#settings = parts.settings;
    this.#documents = parts.documents;
    this.#reference = parts.reference;
    this.#health = parts.health;
    this.#files = parts.files;
    this.#cors = parts.cors;
    this.#csrf = parts.csrf;
    this.#allow = allowOf(this.routes);
    // Created even if the adapter has its own matcher, so that an invalid tree is detected at the start.
    this.#match = createMatcher(parts.tree, this.routes);
    const bodyLimits = parts.routes.map((route) => route.bodyBytes);
    if (bodyLimits.some((limit) => limit !== this.limits.bodyBytes)) {
      this.bodyLimits = { byRoute: bodyLimits, of: (method, target) => this.#bodyLimitOf(method, target) };
    }
    const sockets = parts.routes.map((route) => route.compiled.socket !== undefined);
    if (sockets.includes(true)) this.socketRoutes = sockets;
    const kinds = parts.routes.flatMap(({ compiled: { ref, socket } }) =>
      socket?.kinds === undefined ? [] : [[ref, socket.kinds] as const],
    );
    if (kinds.length > 0) this.socketKinds = new Map(kinds);
    const streamed = parts.routes.map((route) => hasStreamedBody(route.compiled));
    if (streamed.includes(true)) {
      this.streamedBodies = {
        byRoute: streamed,
        has: (method, target) => this.#hasStreamedBody(method, target),
        ...(parts.routes.some(({ bodyRate }) => bodyRate !== null) && {
          rates: {
            byRoute: parts.routes.map(({ bodyRate }) => bodyRate),
            of: (method, target) => this.#bodyRateOf(method, target),
          },
        }),
      };
    }
  }

  /** Refuses a request to a route that accepts WebSockets if the request is not a valid handshake. */
  #refusesHandshake(exchange: ServerExchange, route: ExecutableRoute): boolean {
    const refusal = refusalOfHandshake(
      exchange,
      this.#cors,
      this.#settings.origin,
      route.compiled.socket?.protocols,
    );
    if (refusal === undefined) return false;
    const state = new RequestState(this.#settings, exchange, route);
    const { headers, error } = refusal;
    for (let index = 0; index < headers.length; index += 2)
      state.responseHeaders.setGenerated(headers[index]!, headers[index + 1]!);
    state.refuse(error);
    return true;
  }

  #isAllowedByCsrf(csrf: Csrf, exchange: ServerExchange): boolean {
    const { origin: own } = this.#settings;
    return csrf.allows(
      exchange.method,
      (name) => exchange.header(name),
      (origin) => own.isOwn(origin, exchange),
    );
  }

  #hasStreamedBody(method: string, target: string): boolean {
    const match = this.#match(method, pathOf(normalTarget(target)));
    return match.kind === "route" && hasStreamedBody(this.#executables[match.route]!.compiled);
  }

  #bodyRateOf(method: string, target: string): number | null {
    const match = this.#match(method, pathOf(normalTarget(target)));
    return match.kind === "route" ? this.#executables[match.route]!.bodyRate : null;
  }

  #bodyLimitOf(method: string, target: string): number {
    const match = this.#match(method, pathOf(normalTarget(target)));
    return match.kind === "route" ? this.#executables[match.route]!.bodyBytes : this.limits.bodyBytes;
  }

  /** Refuses a body that is larger than the limit of its route. */
  #refuseTooLarge(exchange: ServerExchange): void {
    const { method, target } = exchange;
    const state = new RequestState(this.#settings, exchange, null);
    const match = this.#match(method, pathOf(normalTarget(target)));
    if (match.kind === "route" && this.#executables[match.route]!.varies)
      state.responseHeaders.setGenerated("vary", "accept");
    state.refuse(payloadTooLarge(this.bodyLimits?.of(method, target) ?? this.limits.bodyBytes));
  }

  handle(exchange: ServerExchange): void {
    // Checked first, for any path: the body is not available, and the connection cannot be reused.
    if (exchange.bodyTooLarge) return this.#refuseTooLarge(exchange);
    if (isOptionsAsterisk(exchange)) {
      return respondToOptionsAsterisk(new RequestState(this.#settings, exchange, null), this.#allow);
    }
    if (this.#cors !== null && this.#cors.isPreflight(exchange.method, (name) => exchange.header(name))) {
      return this.#answerPreflight(this.#cors, exchange);
    }
    if (this.#documents !== null) {
      const read = this.#documents.find(exchange);
      if (read !== undefined) return this.#serveDocument(this.#documents, exchange, read);
    }
    if (this.#reference !== null) {
      const part = this.#reference.find(exchange);
      if (part !== undefined) return this.#serveReference(this.#reference, exchange, part);
    }
    if (this.#health !== null) {
      const path = this.#health.find(exchange);
      if (path !== undefined) return this.#serveHealth(this.#health, exchange, path);
    }
    const match = exchange.match ?? this.#match(exchange.method, pathOf(exchange.target));
    if (match.kind === "route") {
      const route = this.#executables[match.route]!;
      if (this.#csrf !== null && !this.#isAllowedByCsrf(this.#csrf, exchange)) {
        new RequestState(this.#settings, exchange, route).refuse(crossSiteRequest());
        return undefined;
      }
      if (route.extras?.socket !== undefined && this.#refusesHandshake(exchange, route)) return undefined;
      return new RequestRun(this.#settings, exchange, route, match.params).start();
    }
    if (match.kind === "not-found" && this.#files?.covers(exchange) === true) {
      void this.#files.answer(new RequestState(this.#settings, exchange, null));
      return undefined;
    }
    return this.#refuseUnmatched(exchange, match);
  }

  /** Paths that the pipeline serves in addition to routes and files. */
  get ownPaths(): readonly string[] {
    return [
      ...(this.#documents?.paths ?? []),
      ...(this.#reference?.paths ?? []),
      ...(this.#health?.paths ?? []),
    ];
  }

  refuseUnseen(exchange: ServerExchange, error: unknown, about?: "body"): void {
    if (exchange.bodyTooLarge) return this.#refuseTooLarge(exchange);
    const match = this.#match(exchange.method, pathOf(exchange.target));
    if (match.kind !== "route") return this.#refuseUnmatched(exchange, match);
    const { body } = this.#executables[match.route]!.compiled;
    const bodyError = about === "body" && body !== null ? bodyErrorOf(exchange, body) : undefined;
    new RequestState(this.#settings, exchange, null).refuse(bodyError ?? error ?? notFound());
  }

  hasRoute(path: string): boolean {
    // No route has an empty method, so the result is "method not allowed" for every path that has a route.
    return this.#match("", path).kind === "method-not-allowed";
  }

  serves(method: string, target: string): boolean {
    const path = pathOf(normalTarget(target));
    if (this.#match(method, path).kind === "route") return true;
    if (method !== "GET" && method !== "HEAD") return false;
    return this.ownPaths.includes(path.endsWith("/") ? path.slice(0, -1) : path);
  }

  #refuseUnmatched(exchange: ServerExchange, match: Exclude<RouteMatch, { kind: "route" }>): void {
    switch (match.kind) {
      case "not-found":
        return new RequestState(this.#settings, exchange, null).refuseWith(plainNotFound, notFound);
      case "method-not-allowed":
        return this.#refuseMethod(exchange, match.allow, this.#routeAt(exchange, match.allow));
      default:
        return this.#refuse(exchange, badPath(pathOf(exchange.target)));
    }
  }

  logRefusal(refusal: ServerRefusal): void {
    this.#settings.refusals.count(refusal);
  }

  fail(exchange: ServerExchange, error: unknown): void {
    new RequestState(this.#settings, exchange, null).fail(error);
  }

  /** Responds to a preflight request of CORS, for every path except one that cannot be decoded. */
  #answerPreflight(cors: Cors, exchange: ServerExchange): void {
    const match = this.#match("", pathOf(exchange.target));
    if (match.kind === "bad-path") return this.#refuseUnmatched(exchange, match);
    const state = new RequestState(this.#settings, exchange, null);
    const headers = cors.preflightHeaders((name) => exchange.header(name), this.#methodsAt(exchange, match));
    for (let index = 0; index < headers.length; index += 2) {
      state.setHeader(headers[index]!, headers[index + 1]!);
    }
    state.respond(204, null);
  }

  /**
   * Returns the methods that have a route at a path. `match` is the result of matching the path with a method
   * that no route has.
   */
  #methodsAt(exchange: ServerExchange, match: RouteMatch): readonly string[] {
    const isReadOnly =
      this.#documents?.find(exchange) !== undefined ||
      this.#reference?.find(exchange) !== undefined ||
      this.#health?.find(exchange) !== undefined;
    if (isReadOnly) return ["GET", "HEAD"];
    return match.kind === "method-not-allowed" ? match.allow : [];
  }

  #serveDocument(documents: ApiDocuments, exchange: ServerExchange, read: () => Promise<string>): void {
    if (exchange.method !== "GET" && exchange.method !== "HEAD")
      return this.#refuseMethod(exchange, ["GET", "HEAD"]);
    void documents.answer(new RequestState(this.#settings, exchange, null), read);
  }

  #serveReference(reference: ApiReference, exchange: ServerExchange, part: string): void {
    if (exchange.method !== "GET" && exchange.method !== "HEAD")
      return this.#refuseMethod(exchange, ["GET", "HEAD"]);
    void reference.answer(new RequestState(this.#settings, exchange, null), part);
  }

  #serveHealth(health: Health, exchange: ServerExchange, path: string): void {
    if (exchange.method === "GET" || exchange.method === "HEAD") health.answer(exchange, path);
    else this.#refuseMethod(exchange, ["GET", "HEAD"]);
  }

  #refuseMethod(
    exchange: ServerExchange,
    allowed: readonly string[],
    route: CompiledRoute | null = null,
  ): void {
    const allow = allowed.join(", ");
    const state = new RequestState(this.#settings, exchange, null);
    state.pathRoute = route;
    state.setHeader("allow", allow);
    state.refuse(methodNotAllowed(exchange.method, allow));
  }

  /**
   * Returns a route of a path. The route tells which parameters of the path are hidden in the log. The argument is
   * the list of the path's methods.
   */
  #routeAt({ target }: ServerExchange, [method = ""]: readonly string[]): CompiledRoute | null {
    const match = this.#match(method, pathOf(target));
    return match.kind === "route" ? this.#executables[match.route]!.compiled : null;
  }

  #refuse(exchange: ServerExchange, error: AppError): void {
    new RequestState(this.#settings, exchange, null).refuse(error);
  }
}

/** Returns the error of a body, or `undefined` if the body is valid. */
function bodyErrorOf(exchange: ServerExchange, validator: Validator<unknown>): unknown {
  try {
    const value = parseJsonText(exchange, validator, readJsonText(exchange, validator));
    return validator.is(value) ? undefined : invalidSlot("body", validator, validator.failures(value));
  } catch (error) {
    return error;
  }
}
