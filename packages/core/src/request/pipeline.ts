import type { AppError } from "@kit/errors";
import type {
  CompiledRouteTree,
  RouteMatch,
  ServerExchange,
  ServerLimits,
  ServerRefusal,
  ServerService,
  Validator,
} from "@kit/types";

import { createMatcher, type Matcher } from "../router/matcher.ts";
import type { ApiReference } from "./api-reference.ts";
import { parseJsonText, readJsonText } from "./body.ts";
import type { ExecutableRoute } from "./executable-route.ts";
import type { Health } from "./health.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { badPath, invalidSlot, methodNotAllowed, notFound, payloadTooLarge } from "./refusals.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";
import { pathOf, RequestState } from "./request-state.ts";
import { RequestRun } from "./run.ts";
import { allowOf, answerForWholeServer, asksForWholeServer } from "./whole-server.ts";

/** What a pipeline is made of. */
export interface PipelineParts {
  readonly tree: CompiledRouteTree;
  /** By route number. */
  readonly routes: readonly ExecutableRoute[];
  readonly limits: ServerLimits;
  readonly settings: PipelineSettings;
  /** Served where it is given. */
  readonly openapi: OpenApiDocument | null;
  /** Served where it is given. */
  readonly reference: ApiReference | null;
  /** Served where it is given. */
  readonly health: Health | null;
}

/** Serves an application's requests, on any server. */
export class Pipeline implements ServerService {
  readonly tree: CompiledRouteTree;
  readonly routes: readonly string[];
  readonly limits: ServerLimits;
  readonly #executables: readonly ExecutableRoute[];
  readonly #settings: PipelineSettings;
  readonly #openapi: OpenApiDocument | null;
  readonly #reference: ApiReference | null;
  readonly #health: Health | null;
  readonly #match: Matcher;
  /** `Allow` of the server as a whole. */
  readonly #allow: string;

  constructor(parts: PipelineParts) {
    this.tree = parts.tree;
    this.routes = parts.routes.map((route) => route.compiled.ref);
    this.limits = parts.limits;
    this.#executables = parts.routes;
    this.#settings = parts.settings;
    this.#openapi = parts.openapi;
    this.#reference = parts.reference;
    this.#health = parts.health;
    this.#allow = allowOf(this.routes);
    // Even where the adapter matches by itself: a tree that is broken shows at start.
    this.#match = createMatcher(parts.tree, this.routes);
  }

  handle(exchange: ServerExchange): void {
    // Before anything else, and whatever the path: the body is not there, and the connection cannot be used again.
    if (exchange.bodyTooLarge) return this.#refuse(exchange, payloadTooLarge(this.limits.bodyBytes));
    if (asksForWholeServer(exchange)) {
      return answerForWholeServer(new RequestState(this.#settings, exchange, null), this.#allow);
    }
    if (this.#openapi !== null && this.#openapi.isAt(exchange)) return this.#serveOpenapi(exchange);
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
      return new RequestRun(this.#settings, exchange, route, match.params).start();
    }
    return this.#refuseUnmatched(exchange, match);
  }

  refuse(exchange: ServerExchange, error: unknown, about?: "body"): void {
    if (exchange.bodyTooLarge) return this.#refuse(exchange, payloadTooLarge(this.limits.bodyBytes));
    const match = this.#match(exchange.method, pathOf(exchange.target));
    if (match.kind !== "route") return this.#refuseUnmatched(exchange, match);
    const { body } = this.#executables[match.route]!.compiled;
    const bodyError = about === "body" && body !== null ? bodyErrorOf(exchange, body) : undefined;
    new RequestState(this.#settings, exchange, null).refuse(bodyError ?? error ?? notFound());
  }

  hasRoute(path: string): boolean {
    // No method has this name, so a path that routes have is one whose methods are not allowed.
    return this.#match("", path).kind === "method-not-allowed";
  }

  #refuseUnmatched(exchange: ServerExchange, match: Exclude<RouteMatch, { kind: "route" }>): void {
    switch (match.kind) {
      case "not-found":
        return this.#refuse(exchange, notFound());
      case "method-not-allowed":
        return this.#refuseMethod(exchange, match.allow);
      default:
        return this.#refuse(exchange, badPath(pathOf(exchange.target)));
    }
  }

  refused(refusal: ServerRefusal): void {
    this.#settings.refusals.count(refusal);
  }

  fail(exchange: ServerExchange, error: unknown): void {
    new RequestState(this.#settings, exchange, null).fail(error);
  }

  #serveOpenapi(exchange: ServerExchange): void {
    if (exchange.method !== "GET" && exchange.method !== "HEAD")
      return this.#refuseMethod(exchange, ["GET", "HEAD"]);
    void this.#openapi!.answer(new RequestState(this.#settings, exchange, null));
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

  #refuseMethod(exchange: ServerExchange, allowed: readonly string[]): void {
    const allow = allowed.join(", ");
    this.#refuse(exchange, methodNotAllowed(exchange.method, allow), ["allow", allow]);
  }

  #refuse(exchange: ServerExchange, error: AppError, header?: readonly [string, string]): void {
    const state = new RequestState(this.#settings, exchange, null);
    if (header !== undefined) state.setHeader(...header);
    state.refuse(error);
  }
}

/** Returns what is wrong with a body; nothing if the body is right. */
function bodyErrorOf(exchange: ServerExchange, validator: Validator<unknown>): unknown {
  try {
    const value = parseJsonText(exchange, validator, readJsonText(exchange, validator));
    return validator.is(value) ? undefined : invalidSlot("body", validator, validator.failures(value));
  } catch (error) {
    return error;
  }
}
