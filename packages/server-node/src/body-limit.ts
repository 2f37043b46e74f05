import type { IncomingMessage } from "node:http";

import type { ServerService } from "@kit/types";

import { originForm } from "./guard.ts";

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
