import type { ServerExchange } from "@kit/types";

import { METHODS } from "../router/methods.ts";
import type { RequestState } from "./request-state.ts";

/**
 * `OPTIONS *` asks about the server as a whole (RFC 9110, 9.3.7). The answer names methods and runs no handler and no middleware.
 *
 * No route has this target, though a route such as `/:name` would match its text; so it is looked at before any route.
 */
export function asksForWholeServer(exchange: ServerExchange): boolean {
  return exchange.target === "*";
}

/** Answers with 204 and `Allow`. */
export function answerForWholeServer(state: RequestState, allow: string): void {
  state.setHeader("allow", allow);
  state.answer(204, null);
}

/** The methods of all routes, HEAD if one of them is GET, and OPTIONS itself, as `Allow` lists them. */
export function allowOf(refs: readonly string[]): string {
  const known = new Set(refs.map((ref) => ref.slice(0, ref.indexOf(" "))));
  if (known.has("GET")) known.add("HEAD");
  known.add("OPTIONS");
  return METHODS.filter((method) => known.has(method)).join(", ");
}
