import type {
  ServerExchange,
  ServerService,
  TestedAnswer,
  TestedRequest,
  TestLink,
  TestWatch,
} from "@kit/types";

import { serviceAround } from "./service-around.ts";

const name = Symbol.for("kit.testing");

/**
 * Returns the service, which tells `kit test` of its requests if `kit test` runs this process.
 *
 * @throws What the link throws.
 */
export async function testedService(service: ServerService): Promise<ServerService> {
  const link = (globalThis as { [name]?: TestLink })[name];
  const watch = link?.version === 1 ? await link.watch(service.routes) : undefined;
  if (watch === undefined) return service;
  return serviceAround(service, (exchange, pass) => {
    tellOf(exchange, watch);
    pass();
  });
}

type Mutable = { -readonly [Key in keyof ServerExchange]: ServerExchange[Key] };

/** Puts itself before the exchange's own ways to answer. */
function tellOf(exchange: Mutable, watch: TestWatch): void {
  // Read before the answer: afterwards a server has forgotten the request.
  const request = requestOf(exchange);
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, type, body, headers) => {
    respond(status, type, body, headers);
    watch(request, answerOf(status, body));
  };
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, type, length, headers, events) => {
    const writer = respondStream(status, type, length, headers, events);
    watch(request, answerOf(status, null));
    return writer;
  };
}

function requestOf(exchange: ServerExchange): TestedRequest {
  const { method, target, bodyLength, bodyTooLarge } = exchange;
  if (bodyLength === 0 || bodyTooLarge) return { method, target };
  // Bytes that are no UTF-8 are no JSON either, as is this character.
  return { method, target, text: exchange.bodyText() ?? "\uFFFD" };
}

/** Of a success only the status counts. */
function answerOf(status: number, body: unknown): TestedAnswer {
  if (status < 400 || typeof body !== "string") return { status, body: undefined };
  try {
    return { status, body: JSON.parse(body) as unknown };
  } catch {
    return { status, body: undefined };
  }
}
