import type { IncomingMessage } from "node:http";

import type { ServerService } from "@kit/types";

import { originForm } from "./guard.ts";

/**
 * Returns true if the route of a request has bodies in chunks.
 *
 * @example
 * ```ts
 * if (isStreamed(service, request.raw)) parsed(null, openRequestBody(payload, request.raw, limit));
 * ```
 */
export function isStreamed(
  { streamedBodies }: ServerService,
  request: IncomingMessage,
  target: string = request.url!,
): boolean {
  return streamedBodies !== undefined && streamedBodies.has(request.method!, originForm(target));
}

/**
 * Returns the maximum size of the body of a request in bytes: the limit of its route, or else the limit of the
 * application.
 *
 * @example
 * ```ts
 * readRequestBody(request, bodyLimitOf(service, request), (body) => {
 *   if (body !== undefined) service.handle(new ResponseExchange(request, response, request.url!, body));
 * });
 * ```
 */
export function bodyLimitOf(
  { limits, bodyLimits }: ServerService,
  request: IncomingMessage,
  target: string = request.url!,
): number {
  return bodyLimits === undefined ? limits.bodyBytes : bodyLimits.of(request.method!, originForm(target));
}
