import type { IncomingMessage } from "node:http";

import { NotFoundError } from "@kit/errors";
import type { ServerExchange, ServerService } from "@kit/types";

import { normalPath } from "./normal-path.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Framework in front of kit, such as Express. Every request for a handler of kit must pass through the framework's middleware first. A
 * request that cannot pass through the middleware gets an error.
 */
export interface Framework {
  /** Returns true if the framework has neither middleware nor routes, so that kit may serve requests without the framework. */
  isEmpty?(): boolean;
  /**
   * Returns false if the framework cannot handle a request, for example because of its method. The server
   * refuses such a request.
   */
  canHandle?(request: IncomingMessage): boolean;
  /**
   * Changes the target to the path that the framework's router matches, so that kit's router matches the same path. Returns a refusal if
   * the request must not be served. The path of `target` is in the normal form (`normal-path.ts`).
   */
  rewriteTarget?(target: string, method: string): string | Refusal;
}

/**
 * Receiver of a request: the framework; kit without the framework; `error` if kit must respond with an error without calling a handler; or
 * a refusal that is sent immediately.
 */
export type Destination = "framework" | "kit" | "error" | Refusal;

/**
 * Decides where a request goes, and converts its path to the normal form, so that the framework, kit's router and `ctx.path` see the same
 * string.
 */
export function destinationOf(request: IncomingMessage, framework: Framework | undefined): Destination {
  const isDecodable = makeNormal(request);
  if (framework === undefined || framework.isEmpty?.() === true) return "kit";
  // `OPTIONS *` is a request about the server and not about a path. No route has this path, so no handler runs, and frameworks do not know
  // the path.
  if (request.url === "*") return "kit";
  // A framework would respond to these requests by itself, or read their paths differently.
  if (!isDecodable || framework.canHandle?.(request) === false) return "error";
  if (framework.rewriteTarget !== undefined) {
    const target = framework.rewriteTarget(request.url!, request.method!);
    if (typeof target !== "string") return target;
    if (endsWithSlash(request.url!) && !endsWithSlash(target)) withoutSlash.add(request);
    request.url = target;
  }
  return "framework";
}

/** Requests whose final slash was removed for the framework, see {@link withoutFinalSlash}. */
const withoutSlash: WeakSet<IncomingMessage> = new WeakSet();

/** Returns true if the client sent a path with a final slash and the slash was removed for the framework. */
export function hadTrailingSlash(request: IncomingMessage): boolean {
  return withoutSlash.has(request);
}

function endsWithSlash(target: string): boolean {
  const end = target.indexOf("?");
  return target.charAt((end === -1 ? target.length : end) - 1) === "/";
}

/** Converts the path of `request.url` to the normal form. Returns false and changes nothing if the path has no normal form. */
function makeNormal(request: IncomingMessage): boolean {
  const target = request.url!;
  // Most targets have no escape.
  if (!target.includes("%")) return true;
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const normal = normalPath(path);
  if (normal === null) return false;
  if (normal !== path) request.url = end === -1 ? normal : normal + target.slice(end);
  return true;
}

/**
 * Removes the final slash of a target's path if kit has a route for the path: `/admin/users/?a=1` gives
 * `/admin/users?a=1`. kit ignores the final slash. A framework that does not ignore it would skip its
 * middleware for `/admin/users`, and kit would serve the request.
 *
 * @example
 * ```ts
 * const framework: Framework = { rewriteTarget: (target) => withoutFinalSlash(target, service) };
 * ```
 */
export function withoutFinalSlash(target: string, service: ServerService): string {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  if (path.length < 2 || !path.endsWith("/") || service.hasRoute?.(path) !== true) return target;
  return path.slice(0, -1) + target.slice(path.length);
}

/**
 * Responds with an error and never calls a handler; see {@link ServerService.refuseUnseen}.
 *
 * @example
 * ```ts
 * refuseRequest(service, new ResponseExchange(request, response, request.url!, RequestBody.empty));
 * ```
 */
export function refuseRequest(
  service: ServerService,
  exchange: ServerExchange,
  error?: unknown,
  about?: "body",
): void {
  if (service.refuseUnseen !== undefined) service.refuseUnseen(exchange, error, about);
  else service.fail(exchange, error ?? new NotFoundError("NOT_FOUND", "No route matches this path"));
}
