import type { IncomingMessage, ServerResponse } from "node:http";

import type { RequestBodyErrorCode } from "@kit/types";

/** Calls `send` when the body of a request is read for the first time, by kit or by middleware of a framework. */
export function continueWhenRead(request: IncomingMessage, send: () => void): void {
  const onListener = (event: string): void => {
    if (event !== "data" && event !== "readable") return;
    request.off("newListener", onListener);
    send();
  };
  request.on("newListener", onListener);
}

/**
 * Returns the code of the errors with which later reads of the body fail, after an error of its connection.
 */
export function readingErrorOf({ code }: NodeJS.ErrnoException): RequestBodyErrorCode {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "ERR_KIT_BODY_TIMEOUT";
    // The client has closed its sending side.
    case "HPE_INVALID_EOF_STATE":
    case "ECONNRESET":
      return "ERR_KIT_BODY_ABORTED";
    default:
      return "ERR_KIT_BODY_INVALID";
  }
}

/**
 * Calls `onStalled` if the server has waited for the next bytes of a body for the given time. Does not count
 * the time in which no code reads the body, and the time in which received bytes wait to be read.
 */
export function watchUpload(
  request: IncomingMessage,
  response: ServerResponse,
  idleMs: number,
  onStalled: () => void,
): void {
  const { socket } = request;
  let received = -1;
  let since = 0;
  const check = (): void => {
    if (request.complete) stop();
    else if (!isAwaited(request) || socket.bytesRead !== received) {
      received = socket.bytesRead;
      since = performance.now();
    } else if (performance.now() - since >= idleMs) {
      stop();
      onStalled();
    }
  };
  const timer = setInterval(check, Math.min(Math.max(idleMs / 4, 10), 1000)).unref();
  const stop = (): void => clearInterval(timer);
  request.once("end", stop).once("close", stop);
  response.once("close", stop);
}

/** Returns true if a reader waits for bytes of the body. */
function isAwaited(request: IncomingMessage): boolean {
  return (
    request.readableLength === 0 &&
    (request.readableFlowing === true || request.listenerCount("readable") > 0)
  );
}
