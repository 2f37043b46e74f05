import type { CompiledRoute } from "@kit/types";

import type { AnyMiddleware } from "./middleware.ts";
import type { ObservedRoute } from "../observe/observed-route.ts";
import type { InFlight } from "./in-flight.ts";
import type { Negotiation } from "./negotiation.ts";
import type { ExecutableWrapper } from "./executable-wrapper.ts";
import type { Replies, ReplyToStatus } from "./reply.ts";
import type { OpenSocket } from "../sockets/socket-messages.ts";
import type { SocketsOptions } from "../sockets/sockets-options.ts";

/** Middleware in the chain of a route. */
export interface ChainStep {
  readonly name: string;
  readonly run: AnyMiddleware;
  /** Wrapper that runs around the rest of the request. `null` for other middleware. */
  readonly wrapper: ExecutableWrapper | null;
}

/** Input of a handler. The parts that the contract leaves out are `undefined` or absent. */
export interface HandlerArgument {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers?: unknown;
  readonly cookies?: unknown;
  readonly body: unknown;
  readonly reply?: ReplyToStatus | undefined;
  /** Header `accept`, if it chooses the format of the response. {@link Negotiation} removes the property. */
  readonly accept?: string | undefined;
  /** WebSocket, if the contract declares one. */
  readonly socket?: OpenSocket<unknown, unknown>;
  readonly ctx: object;
}

/**
 * Parts of a contract that most contracts do not declare. For routes without these parts, a request needs
 * only one check for `null`.
 */
export interface RouteExtras {
  /** Functions for the request headers. `undefined` if the contract declares none. */
  readonly headers: CompiledRoute["headers"];
  /** Functions for the cookies. `undefined` if the contract declares none. */
  readonly cookies: CompiledRoute["cookies"];
  /** Replies by status. `undefined` if the response is a plain type. */
  readonly replies: Replies | undefined;
  /** Function `reply` of the handler's input. Present if `replies` is. */
  readonly reply: ReplyToStatus | undefined;
  /** Request body that is not JSON. `undefined` if the body is JSON. */
  readonly bodyFormat: CompiledRoute["bodyFormat"];
  /** Response that is not JSON. `undefined` if the response is JSON, or if the contract has replies. */
  readonly responseFormat: CompiledRoute["responseFormat"];
  /** Messages of a WebSocket. `undefined` if the route accepts no WebSockets. */
  readonly socket: CompiledRoute["socket"];
  /** Choice of the response's format. `undefined` if each response has one format. */
  readonly negotiation: Negotiation | undefined;
}

/** Compiled route with the functions that serve it. */
export interface ExecutableRoute extends ObservedRoute {
  /** Names of the path's parameters in order. */
  readonly paramNames: readonly string[];
  readonly chain: readonly ChainStep[];
  /** True if the chain has a wrapper. */
  readonly hasWrappers: boolean;
  readonly handler: (input: HandlerArgument) => unknown;
  /** Headers, cookies, replies, WebSockets and bodies that are not JSON. `null` if the contract declares no such part. */
  readonly extras: RouteExtras | null;
  /** List of the waiting requests with the timeout of the route. */
  readonly inFlight: InFlight;
  /** Maximum size of a body in bytes. */
  readonly bodyBytes: number;
  /** Minimum rate of a body in chunks, in bytes per second. `null` if the rate of the server applies. */
  readonly bodyRate: number | null;
  /** Options of WebSockets that replace the application's. `undefined` if there are none. */
  readonly sockets: SocketsOptions | undefined;
  /** True if the header `accept` chooses the format of the response, so that each response has `vary: accept`. */
  readonly varies: boolean;
}
