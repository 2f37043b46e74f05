import type { IncomingMessage } from "node:http";

import { NotFoundError } from "@kit/errors";
import type { ServerExchange, ServerService } from "@kit/types";

import { normalPath } from "./normal-path.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Framework in front of kit. Its middleware must see every request that a handler of kit serves. A request that cannot pass through the
 * framework gets an error.
 */
export interface Framework {
  /** Returns true if the framework has neither middleware nor routes, so that kit may serve requests without the framework. */
  isEmpty?(): boolean;
  /** Returns false if the framework cannot handle a request for a reason other than its path. The request is then refused. */
  canHandle?(request: IncomingMessage): boolean;
  /**
   * Returns the target as the framework's router reads it, so that kit's router reads the same path, or the refusal of the request. The
   * path of `target` is in the normal form.
   */
  rewriteTarget?(target: string, method: string): string | Refusal;
}

/** Destination of a request: the framework, kit without the framework, an error by kit without the framework, or a refusal. */
export type Destination = "framework" | "kit" | "error" | Refusal;

/**
 * Decides where a request goes, and converts its path to the normal form, so that the framework, kit's router and `ctx.path` see the same
 * string.
 */
export function destinationOf(request: IncomingMessage, framework: Framework | undefined): Destination {
  const isDecodable = makeNormal(request);
  if (framework === undefined || framework.isEmpty?.() === true) return "kit";
  // `OPTIONS *` addresses the server as a whole. No route has this path, so no handler runs, and frameworks do not know the path.
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

/** Requests whose path lost its final slash, see {@link withoutFinalSlash}. */
const withoutSlash: WeakSet<IncomingMessage> = new WeakSet();

/** Returns true if the client sent the path with a final slash that was removed for the framework. */
export function hadTrailingSlash(request: IncomingMessage): boolean {
  return withoutSlash.has(request);
}

function endsWithSlash(target: string): boolean {
  const end = target.indexOf("?");
  return target.charAt((end === -1 ? target.length : end) - 1) === "/";
}

/** Converts the path to the normal form. Returns false if the path has no normal form; the target is then unchanged. */
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
 * Returns a target without the final slash of its path if kit has a route for the path. kit ignores that slash. A framework that does not
 * ignore it would skip the middleware of `/admin/users` for `/admin/users/`, which kit's route `/admin/users` serves.
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
