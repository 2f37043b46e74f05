import type { ResponseRules, ServerExchange, ServerService } from "@kit/types";

import { addDefaults, mergeHeaders } from "../edge/merge-headers.ts";
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

/** Replaces the functions of an exchange that send responses by functions that add the headers. */
function apply(exchange: Mutable, rules: ResponseRules): void {
  if (exchange.hasResponseRules === true) return;
  const readHeader = (name: string): string | undefined => exchange.header(name);
  // Headers of the request cannot be read after the response is sent, and a streamed response starts later. The
  // pipeline itself writes the headers of CORS of a preflight response.
  const added = rules.isPreflight(exchange.method, readHeader) ? [] : rules.headers(readHeader);
  const defaults = exchange.hasResponseDefaults === true ? [] : rules.defaults;
  if (added.length === 0 && defaults.length === 0) return;
  const complete = (own: readonly string[] | null): readonly string[] =>
    addDefaults(mergeHeaders(own, added), defaults);
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, type, body, headers) => respond(status, type, body, complete(headers));
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, type, length, headers, events) =>
    respondStream(status, type, length, complete(headers), events);
}
