import type {
  ServerExchange,
  ServerService,
  TestedResponse,
  TestedRequest,
  TestLink,
  TestRecorder,
} from "@kit/types";

import { serviceAround } from "./service-around.ts";

const name = Symbol.for("kit.testing");

/**
 * Returns the service. If `kit test` runs this process, the returned service also reports its requests to `kit test`.
 *
 * @throws Errors of {@link TestLink.watch}.
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

/**
 * Replaces the functions of an exchange that send responses by functions that also report the request and its
 * response.
 */
function tellOf(exchange: Mutable, watch: TestRecorder): void {
  // Reads the request before the response is sent, because the server releases the request afterwards.
  const request = requestOf(exchange);
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, type, body, headers) => {
    respond(status, type, body, headers);
    watch(request, answerOf(status, body));
  };
  const acceptSocket = exchange.acceptSocket?.bind(exchange);
  if (acceptSocket !== undefined) {
    exchange.acceptSocket = (options, events) => {
      const socket = acceptSocket(options, events);
      watch(request, answerOf(101, null));
      return socket;
    };
  }
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
  const headers = exchange.headers();
  // A body in chunks belongs to the handler.
  if (bodyLength === 0 || bodyTooLarge || exchange.readBody !== undefined) return { method, target, headers };
  // Invalid UTF-8 is not JSON. U+FFFD is not JSON either, so it stands for such a body.
  return { method, target, headers, body: exchange.bodyText() ?? "\uFFFD" };
}

/** Returns the status of a response and, for an error, its parsed JSON body. */
function answerOf(status: number, body: unknown): TestedResponse {
  if (status < 400 || typeof body !== "string") return { status, body: undefined };
  try {
    return { status, body: JSON.parse(body) as unknown };
  } catch {
    return { status, body: undefined };
  }
}
