import type { ResponseBody, ResponseStreamEvents, ServerExchange, ServerService } from "@kit/types";

import type { RequestLog } from "../request/request-log.ts";
import { serviceAround } from "./service-around.ts";

/**
 * Returns a service that logs each of its responses, and each response that a server or its framework sends without the
 * service.
 */
export function loggedService(service: ServerService, log: RequestLog): ServerService {
  const logged = serviceAround(service, (exchange, pass) => {
    apply(exchange, log);
    pass();
  });
  return {
    ...logged,
    logRefusal: (refusal) => {
      log.refusal(refusal);
      service.logRefusal?.(refusal);
    },
    logAnswer: (answer) => log.answer(answer),
  };
}

type Mutable = { -readonly [Key in keyof ServerExchange]: ServerExchange[Key] };

/** Replaces the functions of an exchange that send responses by functions that also log the response. */
function apply(exchange: Mutable, log: RequestLog): void {
  const begun = performance.now();
  exchange.noteLogged?.();
  const isHead = exchange.method === "HEAD";
  const respond = exchange.respond.bind(exchange);
  exchange.respond = (status, contentType, body, headers) => {
    // Headers of the request cannot be read after the response is sent.
    const request = log.read(exchange);
    respond(status, contentType, body, headers);
    log.write(request, status, isHead ? 0 : lengthOf(body), performance.now() - begun, false);
  };
  const acceptSocket = exchange.acceptSocket?.bind(exchange);
  if (acceptSocket !== undefined) {
    exchange.acceptSocket = (options, events) => {
      const request = log.read(exchange);
      let bytes = 0;
      const socket = acceptSocket(options, {
        message: (data) => events.message(data),
        drain: () => events.drain(),
        closed: (code, reason) => {
          log.write(request, 101, bytes, performance.now() - begun, code === 1006);
          events.closed(code, reason);
        },
      });
      return {
        send: (data) => {
          bytes += lengthOf(data);
          return socket.send(data);
        },
        close: (code, reason) => socket.close(code, reason),
        terminate: () => socket.terminate(),
        pause: () => socket.pause(),
        resume: () => socket.resume(),
      };
    };
  }
  const respondStream = exchange.respondStream?.bind(exchange);
  if (respondStream === undefined) return;
  exchange.respondStream = (status, contentType, length, headers, events) => {
    const request = log.read(exchange);
    let bytes = 0;
    let isOver = false;
    const end = (isCut: boolean): void => {
      if (isOver) return;
      isOver = true;
      log.write(request, status, bytes, performance.now() - begun, isCut);
    };
    const watched: ResponseStreamEvents = {
      drain: () => events.drain(),
      abort: () => {
        end(true);
        events.abort();
      },
    };
    const writer = respondStream(status, contentType, length, headers, watched);
    return {
      write: (chunk) => {
        bytes += chunk.length;
        return writer.write(chunk);
      },
      end: () => {
        writer.end();
        end(false);
      },
      destroy: () => {
        writer.destroy();
        end(true);
      },
    };
  };
}

function lengthOf(body: ResponseBody): number {
  if (body === null) return 0;
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}
