import type { ResponseRules, ServerExchange, ServerService } from "@kit/types";

import { mergeHeaders } from "../edge/merge-headers.ts";
import { serviceAround } from "./service-around.ts";

/**
 * Returns a service whose responses have the headers of the rules: responses of handlers, errors, health checks and the
 * API reference. The adapter adds them to responses that it sends itself.
 */
export function ruledService(service: ServerService, rules: ResponseRules): ServerService {
  const ruled = serviceAround(service, (exchange, pass) => {
    apply(exchange, rules);
    pass();
  });
  return { ...ruled, responseRules: rules };
}

type Mutable = { -readonly [Key in keyof ServerExchange]: ServerExchange[Key] };

/** Replaces the respond functions of the exchange with functions that add the headers. */
function apply(exchange: Mutable, rules: ResponseRules): void {
  if (exchange.hasResponseRules === true) return;
  const readHeader = (name: string): string | undefined => exchange.header(name);
  // The pipeline writes the headers of a preflight response itself.
  if (rules.isPreflight(exchange.method, readHeader)) return;
  // Headers of the request cannot be read after the response is sent, and a streamed response starts later.
  const added = rules.headers(readHeader);
  if (added.length === 0) return;
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, type, body, headers) =>
    respond(status, type, body, mergeHeaders(headers, added));
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, type, length, headers, events) =>
    respondStream(status, type, length, mergeHeaders(headers, added), events);
}
