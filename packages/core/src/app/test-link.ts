import type {
  ServerExchange,
  ServerService,
  ServerSocket,
  SocketEvents,
  TestedMessage,
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
  const watch = link?.version === 2 ? await link.watch(service.routes) : undefined;
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
  const tell = (message: TestedMessage): void => watch.messaged(request, message);
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, type, body, headers) => {
    respond(status, type, body, headers);
    watch.answered(request, answerOf(status, body));
    if (type === eventType && typeof body !== "string" && body !== null) tellEvents(Buffer.from(body), tell);
  };
  const acceptSocket = exchange.acceptSocket?.bind(exchange);
  if (acceptSocket !== undefined) {
    exchange.acceptSocket = (options, events) => {
      const socket = acceptSocket(options, toldEvents(events, tell));
      watch.answered(request, answerOf(101, null));
      return toldSocket(socket, tell);
    };
  }
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, type, length, headers, events) => {
    const writer = respondStream(status, type, length, headers, events);
    watch.answered(request, answerOf(status, null));
    if (type !== eventType) return writer;
    return {
      write: (chunk) => {
        tellEvents(chunk, tell);
        return writer.write(chunk);
      },
      end: () => writer.end(),
      destroy: () => writer.destroy(),
    };
  };
}

const eventType = "text/event-stream";

/** Reports the events of a chunk. The pipeline writes every event as a whole. */
function tellEvents(chunk: Uint8Array, tell: (message: TestedMessage) => void): void {
  for (const text of Buffer.from(chunk).toString().split("\n\n")) {
    const lines = text.split("\n");
    const event = fieldOf(lines, "event: ");
    const data = fieldOf(lines, "data: ");
    if (event !== undefined && data !== undefined) tell({ direction: "out", event, text: data });
  }
}

/** Returns the text after a prefix, from the first line that begins with it. `undefined` if no line does. */
function fieldOf(lines: readonly string[], prefix: string): string | undefined {
  return lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
}

/** Returns events that also report the messages of the client. */
function toldEvents(events: SocketEvents, tell: (message: TestedMessage) => void): SocketEvents {
  return {
    message: (data) => {
      tell(messageOf("in", data));
      events.message(data);
    },
    drain: () => events.drain(),
    closed: (code, reason) => events.closed(code, reason),
  };
}

/** Returns a socket that also reports the messages of the handler. */
function toldSocket(socket: ServerSocket, tell: (message: TestedMessage) => void): ServerSocket {
  return {
    send: (data) => {
      tell(messageOf("out", data));
      return socket.send(data);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}

function messageOf(direction: "in" | "out", data: string | Uint8Array): TestedMessage {
  return typeof data === "string" ? { direction, text: data } : { direction, text: "", isBinary: true };
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
