import type { IncomingMessage, ServerResponse } from "node:http";

import type { ServerService } from "@kit/types";

import { headerReader } from "./response-rules.ts";

const isLogged: unique symbol = Symbol("is logged");

/** Response that the service may log itself. */
type LoggedResponse = ServerResponse & { [isLogged]?: true };

/** Records that the service logs the response, so that {@link logAnswer} does not log it again. */
export function noteLogged(response: LoggedResponse): void {
  response[isLogged] = true;
}

/** Logs the response after its end, unless the service logs it. */
export function logAnswer(service: ServerService, request: IncomingMessage, response: LoggedResponse): void {
  const begun = performance.now();
  const { method = "", url: target = "" } = request;
  const remoteAddress = request.socket.remoteAddress ?? "";
  response.once("close", () => {
    if (response[isLogged] === true) return;
    const length = Number(response.getHeader("content-length"));
    service.logAnswer?.({
      method,
      target,
      status: response.statusCode,
      ...(Number.isSafeInteger(length) && { bytes: method === "HEAD" ? 0 : length }),
      durationMs: performance.now() - begun,
      remoteAddress,
      isCut: !response.writableFinished,
      header: headerReader(request),
    });
  });
}
