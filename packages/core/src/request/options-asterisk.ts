import type { ServerExchange } from "@kit/types";

import { METHODS } from "../router/methods.ts";
import type { RequestState } from "./request-state.ts";

/**
 * Returns true for `OPTIONS *`, a request about the server as a whole (RFC 9110, 9.3.7). The response lists methods,
 * and no handler or middleware runs.
 *
 * This is checked before routes are matched, because a route such as `/:name` would match the target `*`,
 * which is not a path.
 */
export function isOptionsAsterisk(exchange: ServerExchange): boolean {
  return exchange.target === "*";
}

/** Responds with 204 and `Allow`. */
export function respondToOptionsAsterisk(state: RequestState, allow: string): void {
  state.setHeader("allow", allow);
  state.respond(204, null);
}

/** Returns the value of `Allow`: the methods of all routes, HEAD if there is a GET route, and OPTIONS. */
export function allowOf(refs: readonly string[]): string {
  const known = new Set(refs.map((ref) => ref.slice(0, ref.indexOf(" "))));
  if (known.has("GET")) known.add("HEAD");
  known.add("OPTIONS");
  return METHODS.filter((method) => known.has(method)).join(", ");
}
