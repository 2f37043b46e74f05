import type { IncomingMessage } from "node:http";

import { NotFoundError } from "@kit/errors";
import type { ServerExchange, ServerService } from "@kit/types";

import { normalPath } from "./normal-path.ts";
import type { Refusal } from "./refusal.ts";

/**
 * A framework that stands before kit. Its middleware must see every request that a handler of kit answers, so a request that the
 * framework is not asked about gets an error, and nothing else.
 */
export interface Framework {
  /** Tells if there is neither middleware nor a route, so that kit may serve requests by itself. */
  isEmpty?(): boolean;
  /** Tells if the framework cannot take a request for another reason than its path; the request is refused. */
  isUnfit?(request: IncomingMessage): boolean;
  /**
   * Returns the target as the framework's router reads it, so that kit's router reads the same; or the reason to refuse the request.
   * The path of `target` is in the normal form.
   */
  read?(target: string, method: string): string | Refusal;
}

/** Destination of a request: the framework; kit alone; kit alone, for an error; or none, with the reason. */
export type Passage = "framework" | "kit" | "error" | Refusal;

/**
 * Decides where a request goes, and brings its path into the normal form, so that the framework, kit's router and `ctx.path` see the
 * same text.
 */
export function passageOf(request: IncomingMessage, framework: Framework | undefined): Passage {
  const isDecodable = makeNormal(request);
  if (framework === undefined || framework.isEmpty?.() === true) return "kit";
  // `OPTIONS *` asks about the server as a whole. No route has this path, so no handler runs, and frameworks do not know the path.
  if (request.url === "*") return "kit";
  // A framework would answer these by itself, or read them as other paths.
  if (!isDecodable || framework.isUnfit?.(request) === true) return "error";
  if (framework.read !== undefined) {
    const target = framework.read(request.url!, request.method!);
    if (typeof target !== "string") return target;
    if (endsWithSlash(request.url!) && !endsWithSlash(target)) withoutSlash.add(request);
    request.url = target;
  }
  return "framework";
}

/** Requests whose path lost the slash at its end, see {@link withoutFinalSlash}. */
const withoutSlash: WeakSet<IncomingMessage> = new WeakSet();

/** Tells if the client sent the path of a request with a slash at its end that was taken away for the framework. */
export function lostFinalSlash(request: IncomingMessage): boolean {
  return withoutSlash.has(request);
}

function endsWithSlash(target: string): boolean {
  const end = target.indexOf("?");
  return target.charAt((end === -1 ? target.length : end) - 1) === "/";
}

/** Answers `false` if the path has no normal form; the target stays as it is then. */
function makeNormal(request: IncomingMessage): boolean {
  const target = request.url!;
  // Most targets have no escape at all.
  if (!target.includes("%")) return true;
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const normal = normalPath(path);
  if (normal === null) return false;
  if (normal !== path) request.url = end === -1 ? normal : normal + target.slice(end);
  return true;
}

/**
 * Returns a target without the slash at the end of its path, if kit has a route for the path. kit ignores that slash. A framework
 * that does not would skip the middleware of `/admin/users` for `/admin/users/`, which kit's route `/admin/users` answers.
 */
export function withoutFinalSlash(target: string, service: ServerService): string {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  if (path.length < 2 || !path.endsWith("/") || service.hasRoute?.(path) !== true) return target;
  return path.slice(0, -1) + target.slice(path.length);
}

/** Answers with an error and never by a handler; see {@link ServerService.refuse}. */
export function refuseBy(
  service: ServerService,
  exchange: ServerExchange,
  error?: unknown,
  about?: "body",
): void {
  if (service.refuse !== undefined) service.refuse(exchange, error, about);
  else service.fail(exchange, error ?? new NotFoundError("NOT_FOUND", "Nothing is here"));
}
